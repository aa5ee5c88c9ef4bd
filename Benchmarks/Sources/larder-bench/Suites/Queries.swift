// Queries: statements of SQL over a catalogue, beside SQLite on its own table with the same indexes.

import LarderQuery

/// Statements of SQL over a catalogue, beside SQLite on its own table with the same indexes, each prepared once.
enum Queries {
    static func run(isQuick: Bool) async throws -> [Measurement] {
        let fixture = try await ShopFixture.make(count: isQuick ? 20_000 : 1_000_000)
        let size = isQuick ? "20 k rows" : "1 M rows"
        var measurements: [Measurement] = []
        for line in lines(fixture.items) { measurements.append(try await compare(line, fixture, size)) }
        let count = Line("count of a resource", "SELECT count(*) FROM items", repeated: 20)
        let tenth = Line("count of a tenth", "SELECT count(*) FROM tenth", repeated: 20)
        var counted = try await compare(count, fixture, size)
        let small = try await compare(tenth, fixture, size)
        counted.peers.append(Series(name: "a tenth of the rows", values: small.larder.values))
        measurements.append(counted)
        try fixture.close()
        return measurements
    }

    /// A statement, and the values with which it runs in each round.
    private struct Line {
        let name: String
        let sql: String
        let arguments: [[SQLValue]]

        init(_ name: String, _ sql: String, _ arguments: [[SQLValue]]) {
            (self.name, self.sql, self.arguments) = (name, sql, arguments)
        }

        init(_ name: String, _ sql: String, repeated count: Int) {
            self.init(name, sql, Array(repeating: [], count: count))
        }
    }

    private static func lines(_ items: ShopItems) -> [Line] {
        var generator = SeededRandom(11)
        func values(_ count: Int, _ make: (Int) -> [SQLValue]) -> [[SQLValue]] {
            (0..<count).map { _ in make(Int.random(in: 0..<items.count, using: &generator)) }
        }
        let category = { (row: Int) -> [SQLValue] in [.integer(Int64(items[row].category))] }
        let first = { (row: Int) in min(row, items.count - 20) }
        return [
            Line("by key", "SELECT payload FROM items WHERE key = ?1", values(2_000) { [.integer(Int64($0 + 1))] }),
            Line(
                "indexed equality", "SELECT name, price FROM items WHERE sku = ?1",
                values(2_000) { [.text(items[$0].sku)] }),
            Line(
                "indexed equality, 1,000 rows", "SELECT name, price FROM items WHERE category = ?1",
                values(20, category)),
            Line(
                "range, order and limit",
                "SELECT name, price FROM items WHERE price >= ?1 AND price < ?2 ORDER BY price LIMIT 50",
                values(500) { [.integer(Int64(items[$0].price)), .integer(Int64(items[$0].price) + 500_000)] }),
            Line(
                "join of 20",
                """
                SELECT i.name, c.title FROM items i JOIN categories c ON c.key = i.category
                WHERE i.sku >= ?1 AND i.sku < ?2
                """,
                values(500) { [.text(items.sku(first($0))), .text(items.sku(first($0) + 20))] }),
            Line("count by index", "SELECT count(*) FROM items WHERE category = ?1", values(50, category)),
            Line("scan of a column", "SELECT sum(stock) FROM items", repeated: 1),
        ]
    }

    private static func compare(_ line: Line, _ fixture: ShopFixture, _ size: String) async throws -> Measurement {
        let statement = try SQLStatement(fixture.sqlite, line.sql)
        var expected: UInt64 = 0
        for values in line.arguments { try statement.run(values) { expected &+= $0.sum } }
        return try await .compare(
            "sql", line.name, size: size, unit: "µs", rounds: 7,
            [
                contender("Larder", line, expected) { values, sum in
                    try fixture.query.forEachRow(line.sql, values) { row in
                        for value in row.values { sum &+= value.sum }
                        return true
                    }
                },
                contender("SQLite", line, expected) { values, sum in try statement.run(values) { sum &+= $0.sum } },
            ])
    }

    /// Runs the statement with all values, and checks the sum of what it found. Microseconds of one run.
    private static func contender(
        _ name: String, _ line: Line, _ expected: UInt64, _ run: @escaping ([SQLValue], inout UInt64) throws -> Void
    ) -> Contender {
        Contender(name: name) {
            var sum: UInt64 = 0
            let time = try timed(line.arguments.count) { for values in line.arguments { try run(values, &sum) } }
            try expect(sum, expected, "what \(name) found \(line.name)")
            return time / 1e3
        }
    }
}
