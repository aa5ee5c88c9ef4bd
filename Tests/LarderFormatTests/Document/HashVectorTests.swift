// Proves that hashes and checksums are those that FORMAT.md shows.

import Testing

@testable import LarderFormat

@Suite struct `The hashes in FORMAT.md` {
    @Test func `are those of XXH64`() throws {
        for line in try FormatDocument().block("xxh64").lines {
            let parts = line.left.split(separator: " seed ")
            let input = try #require(parts.first.flatMap(input))
            let seed = try hexadecimalNumber(try #require(parts.last))
            #expect(xxh64(input, seed: seed) == (try hexadecimalNumber(line.right)), "\(line.left)")
        }
    }

    @Test func `begin with the published one of no bytes`() throws {
        #expect(xxh64([], seed: 0) == 0xEF46_DB37_51D8_E999)
        #expect(try FormatDocument().block("xxh64").lines.first?.right == "0xEF46DB3751D8E999")
    }

    @Test func `of their names are the seeds of every table`() {
        for name in TableName.allCases { #expect(name.seed == xxh64(Array(name.rawValue.utf8), seed: 0)) }
    }

    @Test func `are the steps of a checksum`() throws {
        let steps = try FormatDocument().block("checksum-steps")
        let key = encode(try steps.elements("key"))
        let first = try steps.bytes("header bytes 0..<4")
        let header4 = try #require(littleEndian64(first + [0, 0, 0, 0]).map(UInt32.init))
        #expect(TableName.rows.seed == (try steps.number("h0")))
        #expect(Checksum.ownerSeed(try steps.owner()) == (try steps.number("h1")))
        #expect(xxh64(key, seed: try steps.number("h1")) == (try steps.number("h2")))
        #expect((try steps.number("h2")) ^ UInt64(header4) == (try steps.number("seed")))
        let body = try steps.bytes("body bytes")
        let checksum = Checksum.of(
            body: body.rawSpan, header4: header4, key: key.rawSpan, seed: try steps.number("h1"))
        #expect(checksum == (try steps.number("checksum")))
        #expect(littleEndian64(try steps.bytes("checksum bytes")) == checksum)
    }

    @Test func `are in the header it shows`() throws {
        let block = try FormatDocument().block("header")
        let header = try header(try block.bytes("bytes"))
        #expect(String(header.version) == (try block.value("version")))
        #expect(String(header.flags) == (try block.value("flags")))
        #expect(String(header.codec) == (try block.value("codec")))
        #expect(header.checksum == (try block.number("checksum")))
    }

    private func input(_ text: Substring) -> [UInt8]? {
        if text == "empty" { return [] }
        if text.hasPrefix("00..") { return UInt8(text.dropFirst(4), radix: 16).map { Array(0...$0) } }
        return [UInt8](hexadecimal: text)
    }
}
