// Proves that queries over the store return what SQLite returns over the same rows.

import Foundation
import LarderFormat
import LarderJSON
import LarderQuery
import LarderStore
import LarderTesting
import Testing

/// The same rows as a table of the store and as a table of SQLite's own, under the same queries.
@Suite struct `Results from the store` {
    private let fixture: QueryStore
    private let query: StoreQuery
    private let plain = PlainSQLite()
    private let seed: UInt64

    init() async throws {
        seed = ProcessInfo.processInfo.environment["QUERY_SEED"].flatMap { UInt64($0) } ?? 20_260_821
        let fixture = try QueryStore()
        self.fixture = fixture
        var random = SeededGenerator(seed: seed)
        var tables: [TableDefinition] = []
        for (name, count) in [("items", 90), ("others", 24)] {
            let rows = (0..<count).map { SampleRows.row($0, &random) }
            try fixture.put(rows, type: name, updatedAt: 3)
            try Self.fill(plain, name, try Self.applyOverlays(rows, name, fixture, &random))
            tables.append(try Self.table(name))
        }
        for (path, collation) in [
            ("$.price", IndexCollation.binary), ("$.name", .binary), ("$.name", .nocase), ("$.v", .binary),
            ("$.ref", .binary), ("$.count", .binary), ("$.label", .binary),
        ] {
            for type in ["items", "others"] {
                try await fixture.store.declareIndex(
                    IndexDefinition(
                        name: "\(type) \(path) \(collation)", group: items.group, type: type,
                        path: #require(JSONPath(path)), collation: collation))
            }
        }
        query = try StoreQuery(fixture.store, tables: tables)
    }

    /// Writes some rows locally, over others and beside them; answers what is shown.
    private static func applyOverlays(
        _ rows: [(key: String, payload: String)], _ name: String, _ fixture: QueryStore,
        _ random: inout SeededGenerator
    ) throws -> [(key: String, payload: String)] {
        var shown = Dictionary(uniqueKeysWithValues: rows.map { ($0.key, $0.payload) })
        var changes: [(key: String, payload: String?)] = []
        for index in stride(from: 0, to: rows.count, by: 9) {
            let payload = SampleRows.row(index, &random).payload
            changes.append((rows[index].key, index.isMultiple(of: 2) ? payload : nil))
            changes.append(SampleRows.row(rows.count + index, &random))
        }
        for change in changes { shown[change.key] = change.payload }
        try fixture.store.writeBlocking { transaction in
            for change in changes {
                let overlay = change.payload.map { OverlayChange.replacement(Array($0.utf8)) } ?? .removal
                try transaction.applyOverlay(
                    overlay, at: RowKey(resource: items, type: name, key: change.key), updatedAt: 3)
            }
        }
        return shown.map { ($0.key, $0.value) }
    }

    private static func table(_ name: String) throws -> TableDefinition {
        try TableDefinition(
            name, of: .resource(items), type: name,
            columns: [
                ColumnDefinition("price"), ColumnDefinition("name"),
                ColumnDefinition("title", path: "$.name", collation: .nocase), ColumnDefinition("v"),
                ColumnDefinition("city", path: "$.address.city"), ColumnDefinition("ref"),
                ColumnDefinition("count", affinity: .numeric), ColumnDefinition("label", affinity: .text),
            ])
    }

    private static func fill(_ plain: PlainSQLite, _ name: String, _ rows: [(key: String, payload: String)]) throws {
        try plain.rows(
            """
            CREATE TABLE \(name)(key NUMERIC, price, name, title COLLATE NOCASE, v, city, ref, count NUMERIC, label TEXT,
            updated_at INTEGER)
            """)
        for row in rows {
            try plain.rows(
                """
                INSERT INTO \(name) SELECT ?1, json_extract(?2, '$.price'), json_extract(?2, '$.name'),
                json_extract(?2, '$.name'), json_extract(?2, '$.v'), json_extract(?2, '$.address.city'),
                json_extract(?2, '$.ref'), json_extract(?2, '$.count'), json_extract(?2, '$.label'), 3
                """, [.text(row.key), .text(row.payload)])
        }
    }

    /// Ten thousand queries; the environment variable `QUERY_COUNT` sets another number.
    @Test func `are those of SQLite itself`() throws {
        var maker = QueryGenerator(seed: seed)
        var byIndex = 0
        var joins = 0
        var failures = 0
        let count = ProcessInfo.processInfo.environment["QUERY_COUNT"].flatMap { Int($0) } ?? 10_000
        for number in 0..<count {
            let randomQuery = maker.next()
            if randomQuery.joinsKeys { joins += 1 }
            let expected = Result { try plain.rows(randomQuery.sql, randomQuery.arguments) }
            let found = Result { try query.rows(randomQuery.sql, randomQuery.arguments) }
            if case .success(let answer) = found, answer.facts.uses.contains(where: \.isByIndex) { byIndex += 1 }
            guard let difference = difference(randomQuery, expected, found.map { $0.rows.map(\.values) }) else {
                continue
            }
            Issue.record("seed \(seed), query \(number): \(randomQuery.sql) \(randomQuery.arguments): \(difference)")
            failures += 1
            if failures == 10 { break }
        }
        print("seed \(seed): \(count) queries, \(joins) joins over keys, \(byIndex) by an index")
        #expect(joins * 10 >= count, "only \(joins) of \(count) queries join by keys")
        #expect(byIndex * 10 >= count * 4, "only \(byIndex) of \(count) queries used an index")
    }

    private func difference(
        _ query: RandomQuery, _ expected: Result<[[SQLValue]], any Error>, _ found: Result<[[SQLValue]], any Error>
    ) -> String? {
        switch (expected, found) {
        case (.failure, .failure): return nil
        case (.failure(let error), .success): return "SQLite fails with \(error)"
        case (.success, .failure(let error)): return "fails with \(error)"
        case (.success(let expected), .success(let found)):
            let first = { (rows: [[SQLValue]]) in rows.map { Sorted($0[0], isFolded: query.isFolded) } }
            let isSame =
                switch query.order {
                case .exact: expected == found
                case .free: bag(expected) == bag(found)
                case .byFirst: bag(expected) == bag(found) && first(expected) == first(found)
                case .firstOnly: first(expected) == first(found)
                }
            return isSame ? nil : "\(expected.count) rows expected, \(found.count) found"
        }
    }

    private func bag(_ rows: [[SQLValue]]) -> [[SQLValue]: Int] {
        Dictionary(rows.map { ($0, 1) }, uniquingKeysWith: +)
    }

    /// A value as an order sees it: 1 and 1.0 are one, and letters of either case may be.
    private struct Sorted: Equatable {
        let value: IndexValue

        init(_ value: SQLValue, isFolded: Bool) {
            self.value =
                switch value {
                case .null: .null
                case .integer(let integer): .integer(integer)
                case .real(let real): .real(real)
                case .text(let text): .text(isFolded ? text.lowercased() : text)
                case .blob(let bytes): .blob(bytes)
                }
        }
    }
}

extension QueryFacts.TableUse {
    var isByIndex: Bool { if case .index = access { true } else { false } }
}
