// Proves that the record of keys reads back, and that a sealed value differs from a plain one.

import LarderFormat
import Testing

@Suite struct `The record of keys` {
    private func record(_ numbers: Int64...) -> KeysRecord {
        var record = KeysRecord()
        record.nameKey = [1, 2]
        record.dataKeys = numbers.map { .init(number: $0, wrapped: [UInt8(truncatingIfNeeded: $0)], bound: 1 << 20) }
        return record
    }

    @Test func `reads back`() throws {
        let record = record(1, 2, Int64(UInt32.max))
        let body = record.encode()
        #expect(try KeysRecord(decoding: body.rawSpan) == record)
    }

    @Test func `is refused without data keys, and with numbers that are none or do not ascend`() {
        for record in [record(), record(0), record(2, 1), record(1, 1), record(Int64(UInt32.max) + 1)] {
            let body = record.encode()
            #expect(throws: FormatError.self, "\(record.dataKeys.map(\.number))") {
                try KeysRecord(decoding: body.rawSpan)
            }
        }
    }

    @Test func `names the key of a sealed value, and of nothing else`() throws {
        var value = [UInt8](repeating: 7, count: SealedValue.overhead)
        value.withMutableRawSpan { output in SealedValue.writeHead(key: 258, into: &output) }
        #expect(SealedValue.keyNumber(of: value.rawSpan) == 258)
        let short = Array(value.dropLast())
        #expect(SealedValue.keyNumber(of: short.rawSpan) == nil)
        value[1] = 0
        #expect(SealedValue.keyNumber(of: value.rawSpan) == nil)
    }

    @Test func `has no part in a value that was refused, which no reader accepts`() {
        for count in 0..<40 {
            var value = [UInt8](repeating: 7, count: count)
            value.withMutableRawSpan { output in SealedValue.writeRefused(into: &output) }
            let expected: FormatError = count < RecordHeader.size ? .truncated(offset: count) : .notAuthentic
            #expect(throws: expected) { try RecordHeader(decoding: value.rawSpan) }
        }
    }

    @Test func `hides texts in keys under a key only`() throws {
        let texts = KeyTexts { message in message.reversed() + [UInt8](repeating: 9, count: 16) }
        let address = ResponseAddress(key: "https://a.test/", variant: 1, texts)
        #expect(address.keyPrefix == "")
        #expect(address != ResponseAddress(key: "https://b.test/", variant: 1, texts))
        #expect(texts.tag("a") != texts.tag("b"))
        #expect(texts.tag("a").utf8.count == 32)
        #expect(KeyTexts.readable.tag("a") == "a")
        #expect(ResponseKey.responses(beginningWith: "https://a", texts) == ResponseKey.responses)
    }
}
