// Proves which access a store of another format version allows.

import LarderFormat
import Testing

@Suite struct `A store of another version` {
    private func access(_ change: (inout FormatRecord) -> Void) throws(FormatError) -> FormatAccess {
        var record = Example.format
        change(&record)
        let body = record.encode()
        let read = try FormatRecord(decoding: body.rawSpan)
        return try read.access()
    }

    @Test func `can be opened when it requires nothing newer`() throws {
        #expect(try access { _ in } == .readWrite)
        #expect(try access { $0.major = 3 } == .readWrite)
        #expect(try access { $0.features.compatible = .max } == .readWrite)
    }

    @Test func `is refused when it requires a newer reader, whatever else it contains`() {
        #expect(throws: FormatError.newerFormat(minimumReader: 6)) { try access { $0.minimumReader = 6 } }
        let body = encode([.text("larder"), .integer(2), .integer(0), .integer(6), .integer(6), .null])
        #expect(throws: FormatError.newerFormat(minimumReader: 6)) { try FormatRecord(decoding: body.rawSpan) }
    }

    @Test func `is refused when it was made for readers of an older format, whatever else it contains`() {
        #expect(throws: FormatError.olderFormat(minimumReader: 4)) { try access { $0.minimumReader = 4 } }
        let body = encode([.text("larder"), .integer(0), .integer(4), .integer(4), .integer(4), .null])
        #expect(throws: FormatError.olderFormat(minimumReader: 4)) { try FormatRecord(decoding: body.rawSpan) }
    }

    @Test func `is refused when it uses an unknown incompatible feature`() {
        #expect(throws: FormatError.unknownFeatures(1 << 63)) { try access { $0.features.incompatible = 1 << 63 } }
    }

    @Test func `is read-only when it requires a newer writer or uses a feature that only writers must know`() throws {
        #expect(try access { $0.minimumWriter = 6 } == .readOnly)
        #expect(try access { $0.features.readOnlyCompatible = 4 } == .readOnly)
    }

    @Test func `is no store when it does not begin with the word`() {
        #expect(throws: FormatError.notAStore) {
            let body = encode([.text("Larder"), .integer(0)])
            return try FormatRecord(decoding: body.rawSpan)
        }
    }
}
