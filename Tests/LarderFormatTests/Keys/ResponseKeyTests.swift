// Proves that keys of responses, blobs and garbage read back, sort and refuse malformed bytes.

import LarderFormat
import Testing

@Suite struct `A key of responses` {
    private func bytes(_ key: ResponseKey) throws -> [UInt8] {
        var buffer = KeyBuffer()
        try key.append(to: &buffer)
        return buffer.array()
    }

    @Test func `reads back as what it was made of`() throws {
        let place = ResponseAddress(key: "https://a.test/\u{0}é", variant: 3, .readable)
        for key in [.response(place), .tag("t", place)] as [ResponseKey] {
            let encoded = try bytes(key)
            let decoded = try ResponseKey(decoding: encoded.rawSpan)
            #expect(decoded == key)
            #expect(decoded.address == place)
        }
    }

    @Test func `fits LMDB whatever its texts are`() throws {
        let text = String(repeating: "\u{0}", count: 4000)
        let tag = String(repeating: "t", count: Limits.tag - 2)
        let place = ResponseAddress(key: text, variant: .max, .readable)
        #expect(try bytes(.tag(tag, place)).count <= Limits.key)
        #expect(throws: FormatError.keyTooLong(actual: Limits.tag + 1, limit: Limits.tag)) {
            try bytes(.tag(tag + "t", place))
        }
    }

    @Test(arguments: ["", "a", String(repeating: "é", count: 300), String(repeating: "\u{0}😀", count: 90)])
    func `has a prefix of its cache key, cut between code points`(text: String) {
        let cut = ResponseAddress.keyPrefix(of: text)
        #expect(text.utf8.starts(with: cut.utf8))
        var writer = TupleWriter()
        writer.append(text: cut)
        #expect(writer.bytes.count <= Limits.cacheKeyPrefix)
        let more = ResponseAddress.keyPrefix(of: text + "x")
        #expect(more.utf8.starts(with: cut.utf8))
        if writer.bytes.count < Limits.cacheKeyPrefix - 4 { #expect(cut.utf8.elementsEqual(text.utf8)) }
    }

    @Test func `starts with every prefix of its cache key`() throws {
        let text = "https://a.test/" + String(repeating: "path/", count: 60)
        let key = try bytes(.response(ResponseAddress(key: text, variant: 1, .readable)))
        for length in stride(from: 0, through: text.utf8.count, by: 7) {
            let prefix = ResponseKey.responses(beginningWith: String(text.prefix(length)), .readable)
            #expect(key.starts(with: prefix), "\(length)")
        }
        let own = ResponseKey.responses(of: text, .readable)
        #expect(key.starts(with: own))
        let other = ResponseKey.responses(of: text + "x", .readable)
        #expect(!key.starts(with: other))
    }

    @Test func `refuses what no writer makes`() {
        for damaged: [UInt8] in [[], [0x15, 0x03], [0x14], [0x14, 0x02, 0x61, 0x00, 0x14], [0x02, 0x61, 0x00]] {
            #expect(throws: FormatError.self) { try ResponseKey(decoding: damaged.rawSpan) }
        }
    }
}

@Suite struct `A key of blobs` {
    @Test func `reads back as what it was made of, heads before chunks`() throws {
        var encoded: [[UInt8]] = []
        for key in [.head(1), .head(300), .chunk(blob: 1, number: 0), .chunk(blob: 1, number: 256)] as [BlobKey] {
            var buffer = KeyBuffer()
            try key.append(to: &buffer)
            encoded.append(buffer.array())
            let decoded = try BlobKey(decoding: buffer.bytes)
            #expect(decoded == key)
        }
        #expect(encoded == encoded.sorted { $0.lexicographicallyPrecedes($1) })
    }

    @Test func `of a chunk that fills its pages is followed by the largest value allowed`() {
        #expect(Limits.chunkBytes + RecordHeader.size == Limits.chunkValue)
        #expect(Limits.chunkValue + 16 == 8 * 4096)
    }
}

@Suite struct `A key of garbage` {
    @Test func `reads back as what it was made of, with unfinished content before discarded content`() throws {
        var encoded: [[UInt8]] = []
        for kind in GarbageKey.Kind.allCases {
            for number in [1, 300] as [Int64] {
                let key = GarbageKey(kind, number)
                let bytes = key.bytes
                #expect(try GarbageKey(decoding: bytes.rawSpan) == key)
                #expect(bytes.starts(with: kind.prefix))
                #expect(key.isRemovable == !bytes.lexicographicallyPrecedes(GarbageKey.removable))
                encoded.append(bytes)
            }
        }
        #expect(encoded == encoded.sorted { $0.lexicographicallyPrecedes($1) })
    }

    @Test func `refuses what no writer makes`() {
        for damaged: [UInt8] in [[], [0x14], [0x15, 0x05, 0x15, 0x01], [0x14, 0x13, 0xFE], [0x14, 0x14, 0x14]] {
            #expect(throws: FormatError.self) { try GarbageKey(decoding: damaged.rawSpan) }
        }
    }
}

@Suite struct `The chunks of a blob` {
    @Test(
        arguments: [(0, 7, []), (1, 7, [0..<1]), (7, 7, [0..<7]), (15, 7, [0..<7, 7..<14, 14..<15])]
            as [(
                Int64, Int64, [Range<Int64>]
            )])
    func `cover it without a gap`(length: Int64, size: Int64, ranges: [Range<Int64>]) {
        let record = BlobRecord(byteCount: length, chunkSize: size, digest: 0)
        #expect((0..<record.chunkCount).map { record.range(ofChunk: $0) } == ranges)
    }

    @Test func `of a length at the end of the range are counted without a trap`() {
        let record = BlobRecord(byteCount: .max, chunkSize: 1, digest: 0)
        #expect(record.chunkCount == .max)
        #expect(record.range(ofChunk: .max - 1) == .max - 1 ..< .max)
        #expect(BlobRecord(byteCount: .max, chunkSize: .max, digest: 0).chunkCount == 1)
    }
}
