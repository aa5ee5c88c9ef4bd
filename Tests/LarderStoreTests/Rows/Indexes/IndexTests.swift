// Proves that a secondary index sorts as SQLite does, follows rows and overlays, and is built and removed completely.

import LarderFormat
import LarderJSON
import LarderStore
import Testing

/// The index that most tests use.
let priceIndex = IndexDefinition(
    name: "price", group: "translations", type: "translation", path: JSONPath("$.p")!)

func priced(_ json: String) -> [UInt8] { bytes("{\"p\":\(json)}") }

extension Store {
    /// The keys of an index's rows, in its order.
    func keys(
        of name: String, in resource: ResourceKey = translations, _ range: IndexRange = .all, reversed: Bool = false,
        limit: Int = .max
    ) throws -> [String] {
        try read { view in
            let index = try #require(try view.index(named: name))
            return try view.indexEntries(
                of: index, in: resource, range: range, reversed: reversed, limit: limit
            ).map(\.key)
        }
    }
}

@Suite struct `A secondary index` {
    private let temporary = TemporaryStore()

    private func rows(_ values: [String]) -> [(key: RowKey, payload: [UInt8])] {
        values.enumerated().map { (key($0.offset + 1), priced($0.element)) }
    }

    /// One value of each kind, ascending; 5 to 7 are equal.
    private let ascending = [
        "null", "-1e300", "-9223372036854775808", "-1.5", "1", "1.0", "true", "1.5", "9007199254740992",
        "9007199254740993", "1e19", "\"\"", "\"1\"", "\"A\"", "\"a\"", "\"aé\"", "\"b\"", "[]",
    ]

    @Test func `sorts rows as SQLite sorts their values`() async throws {
        let store = try temporary.open()
        let shuffled = [7, 3, 17, 0, 5, 11, 9, 1, 13, 4, 15, 2, 16, 6, 8, 10, 12, 14]
        try await store.declareIndex(priceIndex)
        for position in shuffled {
            try await store.write { transaction in
                try transaction.put(priced(ascending[position]), at: key(position), updatedAt: 1)
            }
        }
        // `[` sorts between the capitals and the small letters.
        let expected = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 17, 14, 15, 16].map(String.init)
        #expect(try store.keys(of: "price") == expected)
        #expect(try store.keys(of: "price", reversed: true) == expected.reversed())
        #expect(try store.keys(of: "price", .equal(.integer(1))) == ["4", "5", "6"])
        #expect(try store.keys(of: "price", .equal(.real(1))) == ["4", "5", "6"])
        #expect(try store.keys(of: "price", .equal(.text("1"))) == ["12"])
        #expect(try store.keys(of: "price", .equal(.null)) == ["0"])
        #expect(try store.keys(of: "price", .below(.integer(1))) == ["1", "2", "3"])
        #expect(try store.keys(of: "price", .above(.real(9_007_199_254_740_992))) == expected.suffix(9).map { $0 })
        #expect(try store.keys(of: "price", .above(.text("a"))) == ["15", "16"])
        #expect(try store.keys(of: "price", .from(.blob([]))) == [])
        #expect(try store.findings() == [])
    }

    @Test func `over existing rows is built when it is declared`() async throws {
        let store = try temporary.open()
        try await store.replace(translations, with: (1...3000).map { (key($0), priced("\(-$0 % 7)")) })
        try await store.put([key(1, tafsirs)])
        try await store.declareIndex(priceIndex)
        #expect(try store.keys(of: "price").count == 3000)
        #expect(try store.keys(of: "price", limit: 2) == ["6", "13"])
        #expect(try store.keys(of: "price", .equal(.integer(0)), limit: 2) == ["7", "14"])
        #expect(try store.keys(of: "price", in: tafsirs) == [])
        #expect(try store.findings() == [])
    }

    @Test func `follows every change of the rows, and every snapshot`() async throws {
        let store = try temporary.open()
        try await store.declareIndex(priceIndex)
        try await store.replace(translations, with: rows(["3", "2", "1"]))
        #expect(try store.keys(of: "price") == ["3", "2", "1"])
        try await store.write { transaction in
            try transaction.put(priced("9"), at: key(3), updatedAt: 2)
            try transaction.removeRow(at: key(2))
            try transaction.put(priced("5"), at: key(4), updatedAt: 2)
        }
        #expect(try store.keys(of: "price") == ["1", "4", "3"])
        try await store.replace(translations, with: rows(["1", "2"]) + rows(["7"]))
        #expect(try store.keys(of: "price") == ["2", "1"])
        try await store.reclaim()
        #expect(try store.findings() == [])
        try await store.write { transaction in
            try transaction.withdraw(translations, at: ServerPosition(0, 9), as: .hidden)
        }
        #expect(try store.keys(of: "price") == [])
        try await store.reclaim()
        #expect(try store.findings() == [])
        #expect(try store.read { view in try view.recordCount(of: .indexes) } == 1)
    }

    @Test func `that is removed leaves nothing behind`() async throws {
        let store = try temporary.open()
        try await store.declareIndex(priceIndex)
        try await store.replace(translations, with: rows(["3", "2", "1"]))
        #expect(try await store.removeIndex(named: "price"))
        #expect(try await !store.removeIndex(named: "price"))
        #expect(try store.read { view in try view.index(named: "price") } == nil)
        try await store.reclaim()
        #expect(try store.read { view in try view.recordCount(of: .indexes) } == 0)
        #expect(try store.findings() == [])
    }

    @Test func `is built over local writes, and removed with them`() async throws {
        let store = try temporary.open()
        let evicted = ResourceKey("translations", 20)
        try await store.replace(translations, with: rows(["3", "2", "1"]))
        try await store.write { transaction in
            try transaction.applyOverlay(.patch(priced("9")), at: key(1), updatedAt: 1)
            try transaction.applyOverlay(.removal, at: key(2), updatedAt: 1)
            try transaction.applyOverlay(.replacement(priced("0")), at: key(7), updatedAt: 1)
            try transaction.applyOverlay(.replacement(priced("4")), at: key(8, evicted), updatedAt: 1)
        }
        try await store.declareIndex(priceIndex)
        #expect(try store.keys(of: "price") == ["7", "3", "1"])
        #expect(try store.keys(of: "price", in: evicted) == ["8"])
        #expect(try store.findings() == [])
        #expect(try store.read { view in try view.recordCount(of: .indexes) } == 1 + 3 + 3)
        #expect(try await store.removeIndex(named: "price"))
        try await store.reclaim()
        #expect(try store.read { view in try view.recordCount(of: .indexes) } == 0)
        #expect(try store.findings() == [])
    }

    @Test func `sorts rows with and without local writes alike, however long their names`() async throws {
        let store = try temporary.open()
        // With the value, some of the names fit a key of their own and others do not.
        let names = (0..<8).map { String(repeating: "k", count: 100 + 20 * $0) + "\($0)" }
        let text = "\"" + String(repeating: "v", count: 150) + "\""
        try await store.declareIndex(priceIndex)
        try await store.write { transaction in
            for name in names { try transaction.put(priced(text), at: key(name), updatedAt: 1) }
        }
        let before = try store.keys(of: "price")
        try await store.write { transaction in
            for name in names.enumerated().filter({ $0.offset % 2 == 0 }).map(\.element) {
                try transaction.applyOverlay(.replacement(priced(text)), at: key(name), updatedAt: 2)
            }
        }
        #expect(try store.keys(of: "price") == before)
        #expect(Set(before) == Set(names))
        var paged: [String] = []
        var last: IndexEntry?
        while true {
            let page = try store.read { view in
                let index = try #require(try view.index(named: "price"))
                return try view.indexEntries(of: index, in: translations, limit: 3, after: last)
            }
            guard let end = page.last else { break }
            paged += page.map(\.key)
            last = end
        }
        #expect(paged == before)
        #expect(try store.findings() == [])
    }

    @Test func `declared again over another path is another index`() async throws {
        let store = try temporary.open()
        try await store.replace(translations, with: rows(["3", "2", "1"]))
        try await store.declareIndex(priceIndex)
        let before = try #require(try store.read { view in try view.index(named: "price") })
        try await store.declareIndex(priceIndex)
        #expect(try store.read { view in try view.index(named: "price") } == before)
        var other = priceIndex
        other.path = JSONPath("$.q")!
        try await store.declareIndex(other)
        let after = try #require(try store.read { view in try view.index(named: "price") })
        #expect(after.number != before.number)
        #expect(try store.keys(of: "price", .equal(.null)) == ["1", "2", "3"])
        #expect(throws: StoreError.indexNotReady("price")) {
            try store.read { view in try view.indexEntries(of: before, in: translations) }
        }
        try await store.reclaim()
        #expect(try store.findings() == [])
    }

    @Test func `continues from the given entry, even when that is removed`() async throws {
        let store = try temporary.open()
        try await store.declareIndex(priceIndex)
        try await store.replace(translations, with: (1...50).map { (key($0), priced("\($0 / 10)")) })
        for isReversed in [false, true] {
            var found: [String] = []
            var last: IndexEntry?
            while true {
                let batch = try store.read { view in
                    let index = try #require(try view.index(named: "price"))
                    return try view.indexEntries(
                        of: index, in: translations, reversed: isReversed, limit: 7, after: last)
                }
                if batch.isEmpty { break }
                found += batch.map(\.key)
                last = batch.last
            }
            let expected = (1...50).map(String.init)
            #expect(found == (isReversed ? expected.reversed() : expected))
        }
        let gone = IndexEntry(value: .integer(2), type: "translation", key: "2000")
        let next = try store.read { view in
            try view.indexEntries(of: try #require(try view.index(named: "price")), in: translations, after: gone)
        }
        #expect(next.first?.key == "30")
    }

    @Test func `sorts long texts by their whole length`() async throws {
        let store = try temporary.open()
        try await store.declareIndex(priceIndex)
        let long = String(repeating: "x", count: 300)
        try await store.replace(
            translations,
            with: rows(["\"\(long)b\"", "\"\(long)a\"", "\"y\"", "\"\(long)\"", "\"w\"", "\"\(long)a\""]))
        #expect(try store.keys(of: "price") == ["5", "4", "2", "6", "1", "3"])
        #expect(try store.keys(of: "price", reversed: true) == ["3", "1", "6", "2", "4", "5"])
        #expect(try store.keys(of: "price", .equal(.text(long + "a"))) == ["2", "6"])
        #expect(try store.keys(of: "price", .above(.text(long + "a"))) == ["1", "3"])
        #expect(try store.keys(of: "price", .below(.text(long + "a"))) == ["5", "4"])
        let entries = try store.read { view in
            let index = try #require(try view.index(named: "price"))
            let first = try view.indexEntries(of: index, in: translations, limit: 3)
            return first + (try view.indexEntries(of: index, in: translations, after: first.last))
        }
        #expect(entries.map(\.key) == ["5", "4", "2", "6", "1", "3"])
        #expect(entries[2].value == .text(long + "a"))
        #expect(try store.findings() == [])
    }

    @Test func `holds rows with keys of the maximum length`() async throws {
        let store = try temporary.open()
        try await store.declareIndex(priceIndex)
        let resource = ResourceKey("translations", 1)
        let names = ["a", "b"].map { $0 + String(repeating: "k", count: 440) }
        let text = "\"" + String(repeating: "x", count: 300) + "\""
        try await store.write { transaction in
            for (name, value) in zip(names, ["2", text]) {
                try transaction.put(priced(value), at: key(name, resource), updatedAt: 1)
            }
            try transaction.put(priced("1"), at: key(names[1] + "z", resource), updatedAt: 1)
        }
        #expect(try store.keys(of: "price", in: resource) == [names[1] + "z", names[0], names[1]])
        #expect(try store.findings() == [])
        try await store.write { transaction in try transaction.removeRow(at: key(names[1], resource)) }
        #expect(try store.keys(of: "price", in: resource) == [names[1] + "z", names[0]])
        #expect(try store.findings() == [])
    }

    @Test func `without regard to case sorts as SQLite's NOCASE does`() async throws {
        let store = try temporary.open()
        var definition = priceIndex
        definition.collation = .nocase
        try await store.declareIndex(definition)
        try await store.replace(
            translations, with: rows(["\"b\"", "\"B\"", "\"A\"", "\"_\"", "\"É\"", "\"é\"", "\"a\\u0000z\"", "\"ab\""]))
        #expect(try store.keys(of: "price") == ["4", "3", "7", "8", "1", "2", "5", "6"])
        #expect(try store.keys(of: "price", .equal(.text("B"))) == ["1", "2"])
        #expect(try store.findings() == [])
    }

    @Test func `is not used while it is built, and is built to the end when declared again`() async throws {
        let store = try temporary.open()
        try await store.replace(translations, with: (1...5000).map { (key($0), priced("\($0)")) })
        let task = Task { try await store.declareIndex(priceIndex) }
        task.cancel()
        _ = await task.result
        if let index = try store.read({ view in try view.index(named: "price") }), index.state == .building {
            #expect(throws: StoreError.indexNotReady("price")) {
                try store.read { view in try view.indexEntries(of: index, in: translations) }
            }
        }
        try await store.declareIndex(priceIndex)
        #expect(try store.keys(of: "price").count == 5000)
        #expect(try store.findings() == [])
    }
}
