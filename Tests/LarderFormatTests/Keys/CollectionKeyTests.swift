// Proves that keys and chunks of collections fit their limits and read back.

import LarderFormat
import Testing

@Suite struct `The keys of collections` {
    private func bytes(
        _ build: (inout KeyBuffer) throws(FormatError) -> Void
    ) throws -> [UInt8] {
        var buffer = KeyBuffer()
        try build(&buffer)
        return buffer.array()
    }

    @Test func `are those that FORMAT.md shows`() throws {
        let document = try FormatDocument()
        func shown(_ name: String) throws -> String {
            hexadecimal(try document.block("record-" + name).bytes("key bytes"))
        }
        let nine = RowKey(resource: Example.owner, type: "verse", key: "9")
        let name = try bytes { (key) throws(FormatError) in
            try CollectionKey.append(name: Example.collectionName, .readable, to: &key)
        }
        #expect(try hexadecimal(name) == shown("collection-name"))
        let record = try bytes { (key) throws(FormatError) in try CollectionKey.append(number: 1, to: &key) }
        #expect(try hexadecimal(record) == shown("collection"))
        let chunk = try bytes { (key) throws(FormatError) in try CollectionKey.append(number: 1, chunk: 0, to: &key) }
        #expect(try hexadecimal(chunk) == shown("collection-chunk"))
        let holder = try bytes { (key) throws(FormatError) in
            try CollectionKey.append(membershipOf: nine, number: 1, to: &key)
        }
        #expect(try hexadecimal(holder) == shown("collection-holder-nine"))
        let single = try bytes { (key) throws(FormatError) in try CollectionKey.append(validatorsOf: nine, to: &key) }
        #expect(try hexadecimal(single) == shown("single-answer"))
    }

    @Test func `are read back as what they were made of`() throws {
        let row = RowKey(resource: ResourceKey("g\0", -4), type: "t", key: "12")
        let keys: [(CollectionKey, [UInt8])] = [
            (
                .membership(row: row, number: 300),
                try bytes { (key) throws(FormatError) in
                    try CollectionKey.append(membershipOf: row, number: 300, to: &key)
                }
            ),
            (
                .record(number: 7),
                try bytes { (key) throws(FormatError) in try CollectionKey.append(number: 7, to: &key) }
            ),
            (
                .chunk(number: 7, chunk: 0),
                try bytes { (key) throws(FormatError) in
                    try CollectionKey.append(number: 7, chunk: 0, to: &key)
                }
            ),
            (
                .validators(row: row),
                try bytes { (key) throws(FormatError) in
                    try CollectionKey.append(validatorsOf: row, to: &key)
                }
            ),
        ]
        for (key, bytes) in keys { #expect(try CollectionKey(decoding: bytes.rawSpan) == key) }
    }

    @Test func `of another kind, negative or longer than known are refused`() {
        for elements: [TupleElement] in [
            [.integer(4), .integer(1)], [.integer(-1)], [.integer(2), .integer(-1)], [.integer(2)],
            [.integer(2), .integer(1), .integer(0), .integer(0)], [.text("x")], [.integer(0), .text("verse")],
        ] {
            #expect(throws: FormatError.self) { try CollectionKey(decoding: encode(elements).rawSpan) }
        }
    }

    @Test(arguments: ["a", "é", "\0", "😀"])
    func `of the longest names and rows fit LMDB's limit`(filling: String) throws {
        // As many as are allowed: each key is exactly as long as its limit lets it be.
        func text(_ limit: Int) -> String {
            var text = ""
            while (try? Limits.check(attribute: text + filling)) != nil, encode([.text(text + filling)]).count <= limit
            {
                text += filling
            }
            return text
        }
        let resource = ResourceKey(text(128), .min)
        var key = ""
        while (try? RowKeyCoding.checkBudget(resource: resource, type: text(128), key: key + filling)) != nil {
            key += filling
        }
        let row = RowKey(resource: resource, type: text(128), key: key)
        let name = CollectionName(
            class: text(128), query: String(repeating: filling, count: 8192),
            reference: .init(row: row, attribute: text(256)))
        let longest = try bytes { (key) throws(FormatError) in
            try CollectionKey.append(name: name, .readable, to: &key)
        }
        #expect(longest.count <= 511)
        #expect(
            try bytes { (key) throws(FormatError) in try CollectionKey.append(membershipOf: row, number: .max, to: &key)
            }
            .count <= 511)
        #expect(
            try bytes { (key) throws(FormatError) in try CollectionKey.append(validatorsOf: row, to: &key) }.count
                <= 511)
    }

    @Test func `differ for names that differ only behind the part of the query in the key`() throws {
        let long = String(repeating: "q", count: 300)
        var seen: Set<[UInt8]> = []
        for name in [
            CollectionName(class: "verse", query: long + "1"), CollectionName(class: "verse", query: long + "2"),
            CollectionName(
                class: "verse", query: long + "1",
                reference: .init(row: RowKey(resource: Example.owner, type: "verse", key: "1"), attribute: "a")),
            CollectionName(
                class: "verse", query: long + "1",
                reference: .init(row: RowKey(resource: Example.owner, type: "verse", key: "1"), attribute: "b")),
        ] {
            let key = try bytes { (key) throws(FormatError) in
                try CollectionKey.append(name: name, .readable, to: &key)
            }
            seen.insert(key)
        }
        #expect(seen.count == 4)
    }
}

@Suite struct `The chunks of a collection` {
    private let ownResource = ResourceKey("class:User", 0)

    @Test func `name every row once, in order, each within its limit`() throws {
        let rows = (0..<20_000).map { number in
            RowKey(
                resource: number % 50 == 0 ? ResourceKey("other", 1) : ownResource, type: "User",
                key: "user-\(number)-\(String(repeating: "x", count: number % 40))")
        }
        let chunks = CollectionChunk.split(rows, mainResource: ownResource, type: "User")
        #expect(chunks.count > 10)
        var read: [RowKey] = []
        for chunk in chunks {
            let body = chunk.encode(mainResource: ownResource, type: "User")
            #expect(body.count + RecordHeader.size <= Limits.collectionChunk)
            read += try CollectionChunk(decoding: body.rawSpan, mainResource: ownResource, type: "User").rows
        }
        #expect(read == rows)
        #expect(CollectionChunk.split([], mainResource: ownResource, type: "User").isEmpty)
    }

    @Test func `that claim more rows than they name, or none, are refused`() {
        for elements: [TupleElement] in [
            [.integer(2), .text("a")], [.integer(0)], [.integer(.max), .text("a")], [.integer(-1), .text("a")],
        ] {
            #expect(throws: FormatError.self) {
                try CollectionChunk(decoding: encode(elements).rawSpan, mainResource: ownResource, type: "User")
            }
        }
    }
}
