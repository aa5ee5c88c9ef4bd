// Growth: the cost of one operation by the number of rows in the resource, from 10 thousand to 10 million.

import LarderFormat
import LarderStore

/// The cost of one operation by the number of rows in the resource.
///
/// Loading and scanning cost the same for each row. A read descends a tree, so it grows with the logarithm, and with the
/// part of the file that the processor's caches do not hold. A commit of one row writes one page of each level. Opening
/// and replacing do not grow (``Opening``, ``Swaps``). The first write of an open checks all branch pages.
enum Growth {
    static let suite = "growth"
    private static let reads = 20_000

    static func run(isQuick: Bool) async throws -> [Measurement] {
        var measurements: [Measurement] = []
        for count in isQuick ? [10_000, 100_000] : [10_000, 100_000, 1_000_000, 10_000_000] {
            measurements += try await measure(TranslationRows(count: count))
        }
        return measurements
    }

    private static func measure(_ rows: TranslationRows) async throws -> [Measurement] {
        let directory = try ScratchDirectory()
        let path = directory.path("store")
        let loaded = try openStore(at: path)
        let load = try await timedAsync(rows.count) { try await loaded.load(rows, into: TranslationRows.resource(1)) }
        try loaded.close()
        let lines: [(name: String, unit: String, run: () async throws -> Double)] = [
            ("open until a row is read", "ms", { try open(path, rows) }),
            ("read a row in a view of its own", "ns", { try read(path, rows) }),
            ("scan, per row", "ns", { try scan(path, rows) }),
            ("first write of an open", "ms", { try await write(path, rows).first }),
            ("durable write of one row", "ms", { try await write(path, rows).milliseconds }),
            ("pages of a durable write", "pages", { try await write(path, rows).pages }),
        ]
        var measurements = [
            Measurement(suite: suite, name: "load, per row", size: String(rows.count), unit: "ns", larder: load)
        ]
        for line in lines {
            measurements.append(
                try await .compare(
                    suite, line.name, size: String(rows.count), unit: line.unit,
                    [Contender(name: "Larder", run: line.run)]))
        }
        return measurements
    }

    private static func key(_ row: Int) -> RowKey {
        RowKey(resource: TranslationRows.resource(1), type: TranslationRows.type, key: String(row + 1))
    }

    private static func open(_ path: String, _ rows: TranslationRows) throws -> Double {
        var opened: Store?
        let duration = try timed(1) {
            let store = try openStore(at: path)
            opened = store
            try expect(try store.read { view in try view.row(at: key(0)) != nil }, true, "the first row")
        }
        try opened?.close()
        return duration / 1e6
    }

    private static func read(_ path: String, _ rows: TranslationRows) throws -> Double {
        let store = try openStore(at: path)
        var generator = SeededRandom(7)
        let keys = (0..<reads).map { _ in key(Int.random(in: 0..<rows.count, using: &generator)) }
        var sum: UInt64 = 0
        // The first pass checks the pages that it meets; only later ones are measured.
        for _ in 0..<2 { sum = try readAll(keys, store) }
        let duration = try timed(reads) { try expect(try readAll(keys, store), sum, "what was read") }
        try store.close()
        return duration
    }

    private static func readAll(_ keys: [RowKey], _ store: Store) throws -> UInt64 {
        var sum: UInt64 = 0
        for key in keys {
            sum &+= try store.read { view in
                guard let row = try view.row(at: key) else { throw PeerError.wrongResult("no row \(key)") }
                return row.payload.withUnsafeBytes { use($0) }
            }
        }
        return sum
    }

    private static func scan(_ path: String, _ rows: TranslationRows) throws -> Double {
        let store = try openStore(at: path)
        var count = 0
        var sum: UInt64 = 0
        let duration = try timed(rows.count) {
            try store.read { view in
                _ = try view.forEachRow(in: .all(of: TranslationRows.resource(1)), verified: true) { entry in
                    count += 1
                    sum &+= entry.row.payload.withUnsafeBytes { use($0) }
                }
            }
        }
        blackHole(sum)
        try expect(count, rows.count, "rows of the scan")
        try store.close()
        return duration
    }

    private static func write(
        _ path: String, _ rows: TranslationRows
    ) async throws -> (first: Double, milliseconds: Double, pages: Double) {
        let store = try openStore(at: path)
        let first = try await timedAsync(1) { try await write(row: rows.count / 2, of: rows, to: store) }
        let commits = 10
        let before = ProcessStatus.field("wchar:", in: "/proc/self/io")
        let duration = try await timedAsync(commits) {
            for commit in 0..<commits {
                try await write(row: (commit * 977_003) % rows.count, of: rows, to: store)
            }
        }
        let bytes = ProcessStatus.field("wchar:", in: "/proc/self/io") - before
        try store.close()
        return (first / 1e6, duration / 1e6, Double(bytes) / Double(4_096 * commits))
    }

    private static func write(row: Int, of rows: TranslationRows, to store: Store) async throws {
        try await store.write { transaction in
            try transaction.put(rows.payload(row), at: key(row), updatedAt: TranslationRows.updatedAt)
        }
    }
}
