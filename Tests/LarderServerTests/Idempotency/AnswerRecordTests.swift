// Proves that the record of a response has its documented bytes, and that damage never traps.

import HTTPTypes
import LarderFormat
import Testing

@testable import LarderServer

@Suite struct `The record of an answer` {
    /// The vector of docs/internals/idempotency.md.
    private let record = IdempotentResponseRecord(
        fingerprint: RequestFingerprint(1, 2), executedAt: 1_777_975_500_000, expiresAt: 1_778_061_900_000,
        response: IdempotentResponse(.created, json: "{}"))

    @Test func `has the bytes that are documented`() throws {
        let hexadecimal = record.encode().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(
            hexadecimal == """
                15011502\
                1a019df7991ce01a019dfcbf78e0\
                15c91501\
                02636f6e74656e742d7479706500\
                026170706c69636174696f6e2f6a736f6e3b20636861727365743d7574662d3800\
                037b7d00
                """)
        let key = KeyTables.responseKey(try IdempotencyKey(account: "7", text: "a"))
        #expect(key == [0x02, 0x37, 0x00, 0x02, 0x61, 0x00])
    }

    @Test func `is read as it was written`() throws {
        let bytes = record.encode()
        #expect(try IdempotentResponseRecord(decoding: bytes.rawSpan) == record)
        var empty = record
        empty.response = IdempotentResponse(.noContent)
        let emptyBytes = empty.encode()
        #expect(try IdempotentResponseRecord(decoding: emptyBytes.rawSpan) == empty)
    }

    @Test func `cut off anywhere, or with a byte changed, is an error or another record, never a trap`() {
        let bytes = record.encode()
        for length in 0..<bytes.count {
            let part = Array(bytes[..<length])
            #expect(throws: FormatError.self) { try IdempotentResponseRecord(decoding: part.rawSpan) }
        }
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                _ = try? IdempotentResponseRecord(decoding: changed.rawSpan)
            }
        }
    }
}
