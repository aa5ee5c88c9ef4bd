// Proves that a collection keeps its rows in order, shows current rows, and is found by its exact query.

import LarderFormat
import LarderStore
import Testing

private let all = CollectionName(class: "translation")
private let few = CollectionName(class: "translation", query: "n < 3")

extension Store {
    func put(
        _ name: CollectionName, _ rows: [RowKey], validators: Validators = Validators(), at time: Int64 = 1
    ) async throws {
        try await write { transaction in
            try transaction.putCollection(name, rows: rows, home: translations, validators: validators, fetchedAt: time)
        }
    }

    func rowKeys(of name: CollectionName) throws -> [RowKey]? {
        try read { view in
            guard let found = try view.collection(name) else { return nil }
            return try view.rowKeys(of: found)
        }
    }

    func holders(of row: RowKey) throws -> [CollectionName] {
        try read { view in try view.collections(holding: row).map(\.name) }
    }
}

@Suite struct `A collection` {
    private let directory = TemporaryStore()

    @Test func `gives its rows in its own order, each as often as it contains it`() async throws {
        let store = try directory.open()
        try await store.put((1...4).map { key($0) })
        try await store.put(all, [key(3), key(1), key(4), key(1)])
        let rows = try store.read { view in
            let found = try #require(try view.collection(all))
            return try view.rows(of: found)
        }
        #expect(rows.rows.map(\.key) == [key(3), key(1), key(4), key(1)])
        #expect(rows.rows.map(\.payload) == ["3", "1", "4", "1"].map(bytes))
        #expect(rows.isComplete)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `shows the current version of a row, whatever changed it`() async throws {
        let store = try directory.open()
        try await store.put([key(1), key(2)])
        try await store.put(all, [key(1), key(2)])
        try await store.put(few, [key(1)])
        try await store.write { transaction in try transaction.put(bytes("new"), at: key(1), updatedAt: 2) }
        for name in [all, few] {
            let payloads = try store.read { view in
                try view.rows(of: try #require(try view.collection(name))).rows.map(\.payload)
            }
            #expect(payloads.first == bytes("new"))
        }
        try store.close()
    }

    @Test func `that contains a row which is not stored reports it and gives the others`() async throws {
        let store = try directory.open()
        try await store.put([key(1), key(2), key(3)])
        try await store.put(all, [key(1), key(2), key(3)])
        try await store.write { transaction in try transaction.removeRow(at: key(2)) }
        let rows = try store.read { view in try view.rows(of: try #require(try view.collection(all))) }
        #expect(rows.rows.map(\.key) == [key(1), key(3)])
        #expect(rows.missing == [key(2)])
        #expect(!rows.isComplete)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `is found by the same query only, byte for byte`() async throws {
        let store = try directory.open()
        try await store.put(CollectionName(class: "translation", query: "name==\"é\""), [key(1)])
        #expect(try store.rowKeys(of: CollectionName(class: "translation", query: "name==\"é\"")) != nil)
        for other in ["name==\"e\u{301}\"", "name == \"é\"", ""] {
            #expect(try store.rowKeys(of: CollectionName(class: "translation", query: other)) == nil)
        }
        try store.close()
    }

    @Test func `with a query longer than a key keeps apart from those that begin alike`() async throws {
        let store = try directory.open()
        let long = String(repeating: "a == 1 && ", count: 1000)
        try await store.put(CollectionName(class: "translation", query: long + "x"), [key(1)])
        try await store.put(CollectionName(class: "translation", query: long + "y"), [key(2)])
        #expect(try store.rowKeys(of: CollectionName(class: "translation", query: long + "x")) == [key(1)])
        #expect(try store.rowKeys(of: CollectionName(class: "translation", query: long + "y")) == [key(2)])
        #expect(try store.rowKeys(of: CollectionName(class: "translation", query: long + "z")) == nil)
        #expect(throws: StoreError.invalid(.textTooLong(actual: 40_000, limit: Limits.query))) {
            try store.rowKeys(of: CollectionName(class: "translation", query: String(repeating: "q", count: 40_000)))
        }
        try store.close()
    }

    @Test func `fetched through a reference differs from the one of the same query`() async throws {
        let store = try directory.open()
        let referred = { (row: RowKey, attribute: String) in
            CollectionName(class: "translation", query: "n < 3", reference: .init(row: row, attribute: attribute))
        }
        try await store.put(few, [key(1)])
        try await store.put(referred(key(9), "parts"), [key(2)])
        try await store.put(referred(key(9), "wholes"), [key(3)])
        try await store.put(referred(key(8), "parts"), [])
        #expect(try store.rowKeys(of: few) == [key(1)])
        #expect(try store.rowKeys(of: referred(key(9), "parts")) == [key(2)])
        #expect(try store.rowKeys(of: referred(key(9), "wholes")) == [key(3)])
        #expect(try store.rowKeys(of: referred(key(8), "parts")) == [])
        try store.close()
    }

    @Test func `lists the collections that contain a row, and no longer those that have dropped it`() async throws {
        let store = try directory.open()
        try await store.put(all, [key(1), key(2), key(2)])
        try await store.put(few, [key(1)])
        #expect(try Set(store.holders(of: key(1))) == [all, few])
        #expect(try store.holders(of: key(2)) == [all])
        // No row's name is the beginning of another's.
        #expect(try store.holders(of: key(21)) == [])
        try await store.put(all, [key(1)])
        #expect(try store.holders(of: key(2)) == [])
        try await store.write { transaction in try transaction.removeCollection(few) }
        #expect(try store.holders(of: key(1)) == [all])
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `leaves its rows, and nothing else, when it is removed`() async throws {
        let store = try directory.open()
        let before = try store.statistics().storedSize
        try await store.put(all, (1...5).map { key($0) })
        let removed = try await store.write { transaction in try transaction.removeCollection(all) }
        #expect(removed == (1...5).map { key($0) })
        let again = try await store.write { transaction in try transaction.removeCollection(all) }
        #expect(again == nil)
        #expect(try store.statistics().storedSize == before)
        try store.close()
    }

    @Test func `is removed with its class, and other classes' are not`() async throws {
        let store = try directory.open()
        let referred = CollectionName(class: "translation", reference: .init(row: key(1), attribute: "a"))
        let other = CollectionName(class: "translations")
        for name in [all, few, referred, other] { try await store.put(name, [key(1)]) }
        let count = try await store.write { transaction in
            try transaction.removeCollections(ofClass: "translation")
        }
        #expect(count == 3)
        #expect(try store.read { view in try view.collections().map(\.name) } == [other])
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `that was confirmed keeps its rows and what the confirmation left out`() async throws {
        let store = try directory.open()
        try await store.put(all, [key(1)], validators: Validators(entityTag: "\"1\"", lastModified: "then"))
        let done = try await store.write { transaction in
            let unknown = try transaction.confirmCollection(few, fetchedAt: 7)
            let known = try transaction.confirmCollection(
                all, validators: Validators(entityTag: "\"2\""), fetchedAt: 7)
            return [unknown, known]
        }
        #expect(done == [false, true])
        let found = try #require(try store.read { view in try view.collection(all) })
        #expect(found.validators == Validators(entityTag: "\"2\"", lastModified: "then"))
        #expect(found.fetchedAt == 7)
        #expect(try store.rowKeys(of: all) == [key(1)])
        try store.close()
    }

    @Test func `is observed by its name, together with its rows`() async throws {
        let store = try directory.open()
        try await store.put(all, [key(1)])
        var changes = store.changes(in: .collection(all, home: translations)).makeAsyncIterator()
        try await store.put(few, [key(1)])
        try await store.put(all, [key(1), key(2)])
        #expect(await changes.next()?.collections == [all])
        try await store.put([key(2)])
        #expect(await changes.next()?.rows[translations]?.upserts == [key(2)])
        try store.close()
    }

    @Test func `of a hundred thousand rows is stored in few records, and a small change writes little`() async throws {
        let store = try directory.open()
        let rows = (0..<100_000).map { key("row-\($0)") }
        try await store.put(all, rows)
        #expect(try store.rowKeys(of: all) == rows)
        let size = try store.statistics().storedSize
        let changed = rows.dropLast() + [key("new")]
        let before = try store.statistics().storedSize
        try await store.put(all, Array(changed))
        #expect(try store.rowKeys(of: all)?.last == key("new"))
        #expect(abs(try store.statistics().storedSize - before) < 100)
        #expect(size < 100_000 * 120)
        #expect(try store.findings() == [])
        try store.close()
    }
}

@Suite struct `The record of a row fetched by itself` {
    private let directory = TemporaryStore()

    @Test func `is stored until it is removed, for a row or for a type`() async throws {
        let store = try directory.open()
        try await store.write { transaction in
            for number in 1...3 {
                try transaction.putSingleAnswer(
                    at: key(number), validators: Validators(lastModified: "then"), fetchedAt: Int64(number))
            }
            try transaction.putSingleAnswer(at: key(1, tafsirs), validators: Validators(), fetchedAt: 1)
            try transaction.removeSingleAnswer(at: key(2))
        }
        func known() throws -> [Int64?] {
            try store.read { view in
                try [key(1), key(2), key(3), key(1, tafsirs)].map { try view.singleAnswer(at: $0)?.fetchedAt }
            }
        }
        #expect(try known() == [1, nil, 3, 1])
        try await store.write { transaction in
            try transaction.removeSingleAnswers(ofType: "translation", in: translations)
        }
        #expect(try known() == [nil, nil, nil, 1])
        #expect(try store.findings() == [])
        try store.close()
    }
}
