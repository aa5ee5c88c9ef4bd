// Proves that UUIDs print, parse and are drawn at random as version 4.

import LarderFormat
import Testing

@Suite struct `A UUID` {
    @Test func `prints in lower case and parses in either`() throws {
        let text = "0f1e2d3c-4b5a-4968-8796-a5b4c3d2e1f0"
        let uuid = try #require(UUIDBytes(text))
        #expect(uuid.description == text)
        #expect(UUIDBytes(text.uppercased()) == uuid)
        #expect(uuid == UUIDBytes(high: 0x0F1E_2D3C_4B5A_4968, low: 0x8796_A5B4_C3D2_E1F0))
    }

    @Test(arguments: [
        "", "0f1e2d3c-4b5a-4968-8796-a5b4c3d2e1f", "0f1e2d3c-4b5a-4968-8796-a5b4c3d2e1f00",
        "0f1e2d3c04b5a-4968-8796-a5b4c3d2e1f0", "{f1e2d3c-4b5a-4968-8796-a5b4c3d2e1f0",
        "gf1e2d3c-4b5a-4968-8796-a5b4c3d2e1f0",
    ])
    func `is not parsed from anything else`(text: String) {
        #expect(UUIDBytes(text) == nil)
    }

    @Test func `drawn at random is version 4, and the same for the same seed`() {
        var random = SeededGenerator(seed: 81)
        var again = SeededGenerator(seed: 81)
        for _ in 0..<100 {
            let uuid = UUIDBytes.random(using: &random)
            #expect(uuid.high >> 12 & 0xF == 4)
            #expect(uuid.low >> 62 == 2)
            #expect(UUIDBytes.random(using: &again) == uuid)
        }
    }
}
