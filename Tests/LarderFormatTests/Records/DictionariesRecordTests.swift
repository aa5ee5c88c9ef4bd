// Proves that the records of dictionaries read back, and that only frames as writers make them are compressed values.

import LarderFormat
import Testing

@Suite struct `The record of dictionaries` {
    private func record(_ next: Int64, _ numbers: Int64...) -> DictionariesRecord {
        var record = DictionariesRecord()
        record.next = next
        record.entries = numbers.map { .init(number: $0, group: $0 % 2 == 0 ? "even" : "odd") }
        return record
    }

    @Test func `reads back, and names the last dictionary of a group`() throws {
        let record = record(Int64(UInt32.max) + 1, 1, 2, 5, Int64(UInt32.max))
        let body = record.encode()
        #expect(try DictionariesRecord(decoding: body.rawSpan) == record)
        #expect(record.current(of: "odd") == UInt32.max && record.current(of: "even") == 2)
        #expect(record.current(of: "none") == nil)
    }

    @Test func `is refused with numbers that are none, do not ascend, or are still to be assigned`() {
        for record in [record(0), record(3, 0), record(3, 2, 1), record(2, 2), record(1 << 40, 1 << 32)] {
            let body = record.encode()
            #expect(throws: FormatError.self, "\(record)") { try DictionariesRecord(decoding: body.rawSpan) }
        }
    }

    @Test func `leads to records whose content has their number`() throws {
        let record = DictionaryRecord(number: 258, content: [0x37, 0xA4, 0x30, 0xEC, 9, 9, 9, 9, 5])
        #expect(record.number == 258 && record.content == [0x37, 0xA4, 0x30, 0xEC, 2, 1, 0, 0, 5])
        let body = record.encode()
        #expect(try DictionaryRecord(decoding: body.rawSpan) == record)
        let (key, other) = (DictionaryRecord.key(258), DictionariesRecord.key)
        #expect(DictionaryRecord.isKey(key.rawSpan) && !DictionaryRecord.isKey(other.rawSpan))
        let long = DictionaryRecord(number: 1, content: [UInt8](repeating: 0, count: 65_537)).encode()
        #expect(throws: FormatError.self) { try DictionaryRecord(decoding: long.rawSpan) }
    }

    @Test(
        arguments: [
            ("20 05", 17, 0), ("60 00 01", 524, 0), ("A0 01 02 03 00", 197_133, 0), ("21 07 05", 17, 7),
            ("22 01 02 05", 17, 513), ("23 01 02 03 04 05", 17, 0x0403_0201), ("40 58 00 01", 524, 0),
        ] as [(String, Int, UInt32)])
    func `is not needed to know what a compressed value states`(header: String, size: Int, dictionary: UInt32) throws {
        let value = try #require([UInt8](hexadecimal: "01 02 01 00 01 02 03 04 05 06 07 08 28 B5 2F FD " + header))
        let stated = CompressedValue(of: value.rawSpan)
        #expect(stated?.plainSize == size && stated?.dictionary == dictionary, "\(header)")
        for count in 0..<value.count {
            let part = Array(value.prefix(count))
            #expect(CompressedValue(of: part.rawSpan) == nil)
        }
    }

    /// No size, a checksum, reserved bits, another magic number, a longer size than a row can have, other headers.
    @Test(arguments: [
        "01 02 01 00 01 02 03 04 05 06 07 08 28 B5 2F FD 00 58 05",
        "01 02 01 00 01 02 03 04 05 06 07 08 28 B5 2F FD 24 05",
        "01 02 01 00 01 02 03 04 05 06 07 08 28 B5 2F FD 28 05",
        "01 02 01 00 01 02 03 04 05 06 07 08 28 B5 2F FC 20 05",
        "01 02 01 00 01 02 03 04 05 06 07 08 28 B5 2F FD A0 09 00 00 01",
        "01 02 01 00 01 02 03 04 05 06 07 08 28 B5 2F FD E0 FF FF FF FF FF FF FF FF",
        "01 00 01 00 01 02 03 04 05 06 07 08 28 B5 2F FD 20 05",
        "02 02 01 00 01 02 03 04 05 06 07 08 28 B5 2F FD 20 05",
        "01 02 01 01 01 02 03 04 05 06 07 08 28 B5 2F FD 20 05",
        "01 03 01 00 01 02 03 04 05 06 07 08 28 B5 2F FD 20 05",
    ])
    func `is none of a value in another form`(value: String) throws {
        let value = try #require([UInt8](hexadecimal: value))
        #expect(CompressedValue(of: value.rawSpan) == nil)
    }

    @Test func `is of values that take at most 88 percent, with the header of the plain one`() {
        #expect([100, 25, 12, 0].map { CompressedValue.largestSize(ofPlain: $0) } == [88, 22, 10, 0])
        let plain: [UInt8] = [1, 0, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9]
        var compressed = [UInt8](repeating: 0xAA, count: 14)
        compressed.withMutableRawSpan { CompressedValue.writeHeader(ofPlain: plain.rawSpan, into: &$0) }
        #expect(compressed == [1, 2, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0xAA, 0xAA])
        #expect(throws: FormatError.notDecompressed) { try RecordHeader(decoding: compressed.rawSpan) }
        var again = [UInt8](repeating: 0, count: 12)
        again.withMutableRawSpan { CompressedValue.writePlainHeader(of: compressed.rawSpan, into: &$0) }
        #expect(again == Array(plain.prefix(12)))
    }
}
