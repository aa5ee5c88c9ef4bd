// Proves that arbitrary bytes in a header field neither trap the parsers nor slow them down.

import HTTPTypes
import LarderTesting
import LarderTransport
import Testing

@testable import LarderHTTP

@Suite struct `Any bytes in a field` {
    /// Bytes that parsers trip over, and any others.
    private func bytes(_ generator: inout SeededGenerator) -> [UInt8] {
        let pieces = [
            "max-age", "no-cache", "=", "\"", "\\", ",", " ", "\t", ";", "bytes=", "bytes ", "-", "/", "*", "0", "99",
            "W/",
            "Sun, 06 Nov 1994 08:49:37 GMT", "18446744073709551616", "\u{0}", "ü", ":", "//", "..", "?", "#",
        ]
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0..<12, using: &generator) {
            if Bool.random(using: &generator) {
                bytes += Array(pieces[Int.random(in: 0..<pieces.count, using: &generator)].utf8)
            } else {
                bytes.append(UInt8.random(in: 0...255, using: &generator))
            }
        }
        return bytes
    }

    @Test func `are read without a trap`() {
        var generator = SeededGenerator(seed: 9111)
        for _ in 0..<20_000 {
            let bytes = bytes(&generator)
            _ = CacheControl(bytes)
            _ = EntityTagList(bytes)
            _ = EntityTag(bytes)
            _ = RangeRequest(bytes).resolved(total: Int64.random(in: 0...Int64.max, using: &generator))
            _ = ContentRange(bytes)?.text
            _ = HTTPDate.milliseconds(of: bytes, now: Int64.random(in: .min ... .max, using: &generator))
            _ = FieldScanner.tokens(bytes)
            _ = FieldScanner.members(bytes)
            let reference = URIReference(String(decoding: bytes, as: UTF8.self))
            _ = reference.map { $0.resolving($0).origin }
        }
    }

    @Test(arguments: ["\"", "a=\"\\", ",", "a,", "-", "W/\"", "\"a\" ", "a b\""])
    func `need no more time than their length allows`(piece: String) {
        let bytes = Array(String(repeating: piece, count: 200_000).utf8)
        _ = CacheControl(bytes)
        _ = EntityTagList(bytes)
        _ = RangeRequest(Array("bytes=".utf8) + bytes)
        #expect(FieldScanner.members(bytes).count <= bytes.count)
        #expect(FieldScanner.tokens(bytes).count <= bytes.count)
    }
}
