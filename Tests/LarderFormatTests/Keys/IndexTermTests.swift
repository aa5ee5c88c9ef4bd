// Proves where the text of an index entry is cut: by the length of its encoded element.

import LarderFormat
import Testing

/// Proves where the text of an index entry is cut: by the length of its element, as all encoded lengths are counted.
@Suite struct `The term of a text` {
    @Test(arguments: [("x", 198), ("\0", 99), ("é", 99)])
    func `is cut where its element would exceed 200 bytes`(unit: String, most: Int) throws {
        for more in 0...2 {
            let text = String(repeating: unit, count: most + more)
            let term = try #require(IndexTerm(.text(text), .binary))
            guard case .text(let bytes, let isCut) = term else {
                Issue.record("no text")
                continue
            }
            #expect(bytes == Array(text.utf8.prefix(most * unit.utf8.count)))
            #expect(isCut == (more > 0))
            #expect(encode([.bytes(bytes)]).count == Limits.indexText)
        }
    }
}
