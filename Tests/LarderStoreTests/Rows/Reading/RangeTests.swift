// Proves that a range lists rows in key order, by type, prefix and bounds, from either end.

import LarderFormat
import LarderStore
import Testing

@Suite struct `A range of rows` {
    private let names = ["-5", "9", "10", "100", "", "10a", "a", "ab", "abc", "b", "é"]
    private let directory = TemporaryStore()

    /// A store whose resource lies between neighbours, in the table and by name, that must never be seen.
    private func filled() async throws -> Store {
        let store = try directory.open()
        var all: [RowKey] = []
        for resource in [ResourceKey("translations", 18), translations, ResourceKey("translations", 20)] {
            for type in ["a", "translation", "translations", "z"] {
                all += names.map { RowKey(resource: resource, type: type, key: $0) }
            }
        }
        try await store.put(all.shuffled())
        return store
    }

    @Test func `lists numbers as numbers, then texts by their bytes`() async throws {
        let store = try await filled()
        let range = RowRange.type("translation", of: translations)
        #expect(try store.keys(range) == names)
        #expect(try store.keys(range, reversed: true) == names.reversed())
        try store.close()
    }

    @Test func `of everything is every type in order, and only this resource`() async throws {
        let store = try await filled()
        let rows = try store.read { view in try view.rows(in: .all(of: translations)) }
        #expect(rows.map(\.key) == rows.map(\.key).sorted())
        #expect(rows.count == 4 * names.count)
        #expect(Set(rows.map(\.key.resource)) == [translations])
        let reversed = try store.read { view in try view.rows(in: .all(of: translations), reversed: true) }
        #expect(reversed == rows.reversed())
        try store.close()
    }

    @Test(
        arguments: [
            ("a", ["a", "ab", "abc"]), ("ab", ["ab", "abc"]), ("abcd", []), ("1", ["10", "100", "10a"]), ("é", ["é"]),
            ("e", []), ("", ["-5", "9", "10", "100", "", "10a", "a", "ab", "abc", "b", "é"]), ("\u{10FFFF}", []),
            ("-", ["-5"]), ("-5", ["-5"]), ("-50", []), ("100", ["100"]), ("0", []), ("01", []), ("10a", ["10a"]),
        ])
    func `of a prefix holds the keys that begin with it`(prefix: String, expected: [String]) async throws {
        let store = try await filled()
        let range = RowRange.prefix(prefix, type: "translation", of: translations)
        #expect(try store.keys(range) == expected)
        #expect(try store.keys(range, reversed: true) == expected.reversed())
        try store.close()
    }

    @Test func `of a type or key holds nothing of a longer one that continues with U+0000`() async throws {
        let store = try directory.open()
        try await store.put([
            RowKey(resource: translations, type: "verse", key: "a"),
            RowKey(resource: translations, type: "verse", key: "a\0b"),
            RowKey(resource: translations, type: "verse\0s", key: "c"),
            RowKey(resource: ResourceKey("translations\0s", 1), type: "verse", key: "d"),
        ])
        #expect(try store.keys(.type("verse", of: translations)) == ["a", "a\0b"])
        #expect(try store.keys(.type("verse", of: translations), reversed: true) == ["a\0b", "a"])
        #expect(try store.keys(.prefix("", type: "verse", of: translations)) == ["a", "a\0b"])
        #expect(try store.keys(.keys(from: "a", through: "a", type: "verse", of: translations)) == ["a"])
        let listed = try store.read { view in try view.resources(inGroup: "translations").map(\.key) }
        #expect(listed == [translations])
        try store.close()
    }

    @Test func `of a prefix holds numbers to the ends of their range, in order`() async throws {
        let store = try directory.open()
        let keys = [
            "-9223372036854775808", "-922", "-92", "-9", "-1", "0", "9", "91", "92", "93", "920", "929", "930",
            "922337203685477580", "9223372036854775806", "9223372036854775807", "9223372036854775808", "92-a",
        ]
        let rows = keys.map { RowKey(resource: translations, type: "translation", key: $0) }
        try await store.put(rows.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element))
        for isOverlaid in [false, true] {
            if isOverlaid {
                try store.writeBlocking { transaction in
                    for row in rows { try transaction.applyOverlay(.replacement([]), at: row, updatedAt: 1) }
                }
            }
            let present = isOverlaid ? keys : keys.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
            for prefix in ["9", "92", "922", "-9", "-92", "-", "0", "1", "9223372036854775807", "92-", "00"] {
                let range = RowRange.prefix(prefix, type: "translation", of: translations)
                let expected = present.filter { $0.hasPrefix(prefix) }.sorted(by: RecordKey.precedes)
                for limit in [1, 2, 3, Int.max] {
                    #expect(try store.keys(range, limit: limit) == Array(expected.prefix(limit)))
                    let reversed = try store.keys(range, reversed: true, limit: limit)
                    #expect(reversed == Array(expected.reversed().prefix(limit)))
                }
            }
        }
        try store.close()
    }

    @Test func `after one key through another excludes the first and includes the last`() async throws {
        let store = try await filled()
        func check(_ range: RowRange, _ expected: some Sequence<String>) throws {
            #expect(try store.keys(range) == Array(expected))
            #expect(try store.keys(range, reversed: true) == expected.reversed())
        }
        // Keys that are there, and some that are not: before all, between and behind.
        for after in names.map(Optional.some) + [nil, "-9", "50", "aa", "z\u{0}"] {
            for through in names.map(Optional.some) + [nil, "-9", "50", "aa", "z\u{0}"] {
                let behind = names.filter { key in after.map { RecordKey.precedes($0, key) } ?? true }
                let upTo = behind.filter { key in through.map { !RecordKey.precedes($0, key) } ?? true }
                try check(.keys(after: after, through: through, type: "translation", of: translations), upTo)
                guard let from = after else { continue }
                let atOrBehind = names.filter { !RecordKey.precedes($0, from) }
                let closed = atOrBehind.filter { key in through.map { !RecordKey.precedes($0, key) } ?? true }
                try check(.keys(from: from, through: through, type: "translation", of: translations), closed)
            }
        }
        try store.close()
    }

    @Test func `from one key up to another includes the first and excludes the last`() async throws {
        let store = try await filled()
        func keys(_ from: String?, _ upTo: String?) throws -> [String] {
            let range = RowRange.keys(from: from, upTo: upTo, type: "translation", of: translations)
            let keys = try store.keys(range)
            #expect(try store.keys(range, reversed: true) == keys.reversed())
            return keys
        }
        #expect(try keys("9", "a") == ["9", "10", "100", "", "10a"])
        #expect(try keys("8", "101") == ["9", "10", "100"])
        #expect(try keys(nil, "9") == ["-5"])
        #expect(try keys("abc", nil) == ["abc", "b", "é"])
        #expect(try keys(nil, nil) == names)
        #expect(try keys("10", "10") == [])
        #expect(try keys("a", "9") == [])
        #expect(try keys("é\u{0}", nil) == [])
        try store.close()
    }

    @Test func `ends with the limit, from either end`() async throws {
        let store = try await filled()
        let range = RowRange.type("translation", of: translations)
        for limit in 0...names.count + 1 {
            #expect(try store.keys(range, limit: limit) == Array(names.prefix(limit)))
            #expect(try store.keys(range, reversed: true, limit: limit) == Array(names.reversed().prefix(limit)))
        }
        #expect(try store.keys(range, limit: -1) == [])
        try store.close()
    }

    @Test func `reaches the first and the last row of the file`() async throws {
        let store = try directory.open()
        try await store.put([key("only")])
        for range in [
            RowRange.all(of: translations), .type("translation", of: translations),
            .prefix("o", type: "translation", of: translations), .keys(type: "translation", of: translations),
        ] {
            #expect(try store.keys(range) == ["only"])
            #expect(try store.keys(range, reversed: true) == ["only"])
        }
        for range in [RowRange.type("a", of: translations), .type("z", of: translations), .all(of: tafsirs)] {
            #expect(try store.keys(range) == [])
            #expect(try store.keys(range, reversed: true) == [])
        }
        try store.close()
    }

    @Test func `beyond the limits of a key is an error, not empty`() async throws {
        let store = try await filled()
        let long = String(repeating: "x", count: 600)
        for range in [
            RowRange.type(long, of: translations), .prefix(long, type: "t", of: translations),
            .keys(from: long, type: "t", of: translations), .keys(upTo: long, type: "t", of: translations),
            .type(String(repeating: "x", count: 127), of: translations),
        ] {
            #expect(throws: StoreError.self) { try store.keys(range) }
        }
        #expect(throws: StoreError.self) { try store.read { view in try view.payload(at: key(long)) } }
        try store.close()
    }

    @Test func `ends when its closure throws`() async throws {
        struct Enough: Error {}
        let store = try await filled()
        var seen = 0
        #expect(throws: Enough.self) {
            try store.read { view in
                try view.forEachRow(in: .all(of: translations)) { _ in
                    seen += 1
                    if seen == 3 { throw Enough() }
                }
            }
        }
        #expect(seen == 3)
        try store.close()
    }
}
