// PointReads: random rows by key, from a warm file.

import CRawLMDB
import LarderFormat
import LarderStore

/// Random rows by key, from a warm file.
enum PointReads {
    static func run(isQuick: Bool) async throws -> [Measurement] {
        let count = isQuick ? 100_000 : 1_000_000
        let fixture = try await ReadFixture.make(rows: count)
        let reads = RandomReads(fixture, reads: isQuick ? 20_000 : 100_000)
        let lines = [
            ("one view", [reads.larder(using: true), reads.raw(using: true), reads.sqlite(using: true)]),
            (
                "one view, payload not used",
                [reads.larder(using: false), reads.raw(using: false), reads.sqlite(using: false)]
            ),
            ("a view each", [reads.larderViewEach(), reads.rawRenewEach(), reads.sqlite(using: true)]),
        ]
        var measurements: [Measurement] = []
        for (name, contenders) in lines {
            measurements.append(
                try await .compare(
                    "get", name, size: isQuick ? "100 k rows" : "1 M rows", unit: "ns", rounds: isQuick ? 5 : 9,
                    contenders))
        }
        try fixture.close()
        return measurements
    }
}

/// The same random rows for everyone, their keys ready beforehand in the form each takes.
private struct RandomReads {
    let fixture: ReadFixture
    var rowKeys: [RowKey] = []
    var rawKeys = KeyList()
    var numbers: [Int] = []

    init(_ fixture: ReadFixture, reads: Int) {
        self.fixture = fixture
        var generator = SeededRandom(7)
        for _ in 0..<reads {
            let row = Int.random(in: 0..<fixture.rows.count, using: &generator)
            rowKeys.append(RowKey(resource: fixture.resource, type: TranslationRows.type, key: String(row + 1)))
            rawKeys.append(row, of: fixture.keys)
            numbers.append(row + 1)
        }
    }

    func larder(using isUsed: Bool) -> Contender {
        Contender(name: "Larder") {
            var sum: UInt64 = 0
            let duration = try timed(rowKeys.count) {
                try fixture.store.read { view in
                    for key in rowKeys { sum &+= try read(key, view, isUsed) }
                }
            }
            blackHole(sum)
            return duration
        }
    }

    func larderViewEach() -> Contender {
        Contender(name: "Larder") {
            var sum: UInt64 = 0
            let duration = try timed(rowKeys.count) {
                for key in rowKeys { sum &+= try fixture.store.read { view in try read(key, view, true) } }
            }
            blackHole(sum)
            return duration
        }
    }

    @inline(__always)
    private func read(_ key: RowKey, _ view: borrowing ReadView, _ isUsed: Bool) throws -> UInt64 {
        guard let row = try view.row(at: key) else { throw PeerError.code(0) }
        return isUsed ? row.payload.withUnsafeBytes { use($0) } : UInt64(row.payload.byteCount)
    }

    func raw(using isUsed: Bool) -> Contender {
        Contender(name: "mdb_get") {
            let transaction = try fixture.raw.beginRead()
            defer { mdb_txn_abort(transaction) }
            var sum: UInt64 = 0
            let duration = try timed(rawKeys.count) {
                try rawKeys.forEach { key in
                    let value = try fixture.raw.get(key, transaction)
                    sum &+= isUsed ? use(value) : UInt64(value.count)
                }
            }
            blackHole(sum)
            return duration
        }
    }

    func rawRenewEach() -> Contender {
        Contender(name: "mdb_get") {
            let transaction = try fixture.raw.beginRead()
            defer { mdb_txn_abort(transaction) }
            mdb_txn_reset(transaction)
            var sum: UInt64 = 0
            let duration = try timed(rawKeys.count) {
                try rawKeys.forEach { key in
                    try RawLMDB.check(mdb_txn_renew(transaction))
                    sum &+= use(try fixture.raw.get(key, transaction))
                    mdb_txn_reset(transaction)
                }
            }
            blackHole(sum)
            return duration
        }
    }

    func sqlite(using isUsed: Bool) -> Contender {
        Contender(name: "SQLite") {
            var sum: UInt64 = 0
            let duration = try timed(numbers.count) {
                try fixture.sqlite.execute("BEGIN")
                for number in numbers {
                    try fixture.sqlite.get(number) { sum &+= isUsed ? use($0) : UInt64($0.count) }
                }
                try fixture.sqlite.execute("COMMIT")
            }
            blackHole(sum)
            return duration
        }
    }
}
