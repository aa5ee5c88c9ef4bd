// Proves that elements print in the notation of FORMAT.md and as JSON.

import Foundation
import LarderFormat
import Testing

@Suite struct `An element of any kind` {
    @Test func `prints in the notation of FORMAT.md`() {
        let uuid = UUIDBytes(high: 1, low: 2)
        let elements: [TupleElement] = [
            .null, .decimal(-9), .text("a\"b"), .bytes([0, 255]), .integer(7), .bool(true), .uuid(uuid),
        ]
        #expect(
            elements.map(\.description) == [
                "null", "#-9", #""a\"b""#, "x'00ff'", "7", "true", "00000000-0000-0001-0000-000000000002",
            ])
    }

    @Test func `becomes JSON that a tool can print`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let elements: [TupleElement] = [
            .null, .decimal(9), .text("a"), .bytes([0, 255]), .integer(.max), .bool(false),
            .uuid(UUIDBytes(high: 0, low: 0)),
        ]
        let text = String(decoding: try encoder.encode(elements), as: UTF8.self)
        #expect(
            text == """
                [null,"9","a",{"bytes":"00ff"},9223372036854775807,false,"00000000-0000-0000-0000-000000000000"]
                """)
    }

    // A terminator is searched eight bytes at a time.
    @Test(arguments: [0x01, 0x80, 0xFF] as [UInt8])
    func `keeps its zero bytes and its end, wherever they are`(other: UInt8) throws {
        for count in 1...20 {
            for zero in 0..<count {
                var bytes = [UInt8](repeating: other, count: count)
                bytes[zero] = 0
                var writer = TupleWriter()
                writer.append(bytes: bytes)
                writer.append(bytes: [other])
                var reader = TupleReader(writer.bytes.rawSpan)
                let read = (try reader.bytes(), try reader.bytes(), reader.isAtEnd)
                #expect(read.0 == bytes && read.1 == [other] && read.2)
            }
        }
    }

    @Test func `is named by kind when another was expected`() {
        var writer = TupleWriter()
        writer.append(text: "secret")
        let error = #expect(throws: FormatError.self) {
            var reader = TupleReader(writer.bytes.rawSpan)
            _ = try reader.integer()
        }
        #expect(error == .unexpectedElement(expected: .integer, code: 0x02, offset: 0))
        #expect(error?.description == "expected integer at offset 0, found element code 02")
    }
}
