// Proves that elements are encoded as the vectors of FORMAT.md show.

import LarderFormat
import Testing

@Suite struct `The elements in FORMAT.md` {
    @Test(arguments: ["integers", "elements", "order", "index-order"])
    func `encode to the bytes it shows, and decode from them`(block: String) throws {
        for line in try FormatDocument().block(block).lines {
            let elements = try #require(TupleLiteral.elements(line.left), "no value: \(line.left)")
            #expect(hexadecimal(encode(elements)) == line.right)
            let encoded = try #require([UInt8](hexadecimal: line.right))
            #expect(try decode(encoded) == elements)
        }
    }

    @Test func `show every code`() throws {
        let document = try FormatDocument()
        let lines = try document.block("integers").lines + document.block("elements").lines
        let shown = Set(lines.map { $0.right.prefix(2) })
        let codes = [0, 1, 2, 3] + Array(0x0C...0x1C) + [0x26, 0x27, 0x30]
        #expect(shown.sorted() == codes.map { hexadecimal([UInt8($0)])[...] })
    }

    @Test func `are keys in ascending order where it says so`() throws {
        let keys = try FormatDocument().block("order").lines.map { try #require([UInt8](hexadecimal: $0.right)) }
        #expect(keys.count > 10)
        for (lower, upper) in zip(keys, keys.dropFirst()) { #expect(precedes(lower, upper)) }
        for key in keys { #expect(try rowKey(key).generation > 0) }
    }

    @Test func `are index entries in ascending order where it says so`() throws {
        let keys = try FormatDocument().block("index-order").lines.map { try #require([UInt8](hexadecimal: $0.right)) }
        #expect(keys.count > 20)
        for (lower, upper) in zip(keys, keys.dropFirst()) { #expect(precedes(lower, upper)) }
        for key in keys {
            let entry = try IndexEntryKey(decoding: key.rawSpan)
            let again = try bytes(of: entry)
            #expect(hexadecimal(again) == hexadecimal(key))
        }
    }

    private func bytes(of entry: IndexEntryKey) throws -> [UInt8] {
        guard case .row(let type, let key) = entry.address else { throw FormatError.notAStore }
        var buffer = KeyBuffer()
        _ = try IndexEntryKey.encode(
            entry.scope, index: entry.index, term: entry.term, type: type, key: key, to: &buffer)
        return buffer.array()
    }

    @Test func `are the record keys it shows`() throws {
        for line in try FormatDocument().block("record-keys").lines {
            guard case .text(let text)? = TupleLiteral.elements(line.left)?.first else {
                Issue.record("no text: \(line.left)")
                continue
            }
            let encoded = encode(recordKey: text)
            #expect(hexadecimal(encoded) == line.right)
            #expect(try recordKey(encoded) == text)
        }
    }

    @Test func `are refused where it says so, for the reason it gives`() throws {
        let lines = try FormatDocument().block("refused").lines
        #expect(lines.count > 20)
        for line in lines {
            let position = try #require(["element ", "record key ", "header "].first { line.left.hasPrefix($0) })
            let digits = line.left.dropFirst(position.count)
            let refused = try #require(digits == "(empty)" ? [] : [UInt8](hexadecimal: digits))
            let error = #expect(throws: FormatError.self, "\(line.left)") {
                switch position {
                case "element ": _ = try element(refused)
                case "record key ": _ = try recordKey(refused)
                default: _ = try header(refused)
                }
            }
            #expect(error.map(reason) == line.right, "\(line.left)")
        }
    }

    private func reason(_ error: FormatError) -> String {
        switch error {
        case .notCanonical: "not canonical"
        case .integerOutOfRange: "integer out of range"
        case .unknownCode: "unknown code"
        case .invalidUTF8: "not UTF-8"
        case .truncated: "truncated"
        case .unexpectedElement: "unexpected element"
        case .unsupportedVersion: "unsupported version"
        case .reservedBits: "reserved bits"
        case .notAuthentic: "not opened"
        case .notDecompressed: "not decompressed"
        case .unknownCodec: "unknown codec"
        default: error.description
        }
    }
}
