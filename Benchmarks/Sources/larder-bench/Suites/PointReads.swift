// PointReads: random rows by key, from a warm file.

import CRawLMDB
import LarderFormat
import LarderStore

/// Random rows by key, from a warm file.
enum PointReads {
    static func run(isQuick: Bool) async throws -> [Measurement] {
        let fixture = try await ReadFixture.make(rows: isQuick ? 100_000 : 1_000_000)
        let reads = RandomReads(fixture, reads: isQuick ? 20_000 : 100_000)
        let lines: [(name: String, unit: String, contenders: [Contender])] = [
            ("one view", "ns", reads.inOneView(using: true)),
            ("one view, payload not used", "ns", reads.inOneView(using: false)),
            ("a view each", "ns", reads.inViewsOfTheirOwn(timed)),
            ("allocations, a view each", "per read", reads.inViewsOfTheirOwn(countedAllocations)),
        ]
        var measurements: [Measurement] = []
        for line in lines {
            measurements.append(
                try await .compare(
                    "get", line.name, size: isQuick ? "100 k rows" : "1 M rows", unit: line.unit,
                    rounds: isQuick ? 5 : 9, line.contenders))
        }
        try fixture.close()
        return measurements + [try await countInNewStore()]
    }

    /// Counts allocations in a store that has not been opened again: its pages need no check.
    private static func countInNewStore() async throws -> Measurement {
        let directory = try ScratchDirectory()
        let store = try openStore(at: directory.path("store"))
        try await store.load(TranslationRows(count: 1_000), into: TranslationRows.resource(1))
        let key = RowKey(resource: TranslationRows.resource(1), type: TranslationRows.type, key: "500")
        var found = 0
        let allocations = try countedAllocations(1_000) {
            for _ in 0..<1_000 { found += try store.read { view in try view.row(at: key) == nil ? 0 : 1 } }
        }
        try expect(found, 1_000, "rows")
        try store.close()
        return Measurement(
            suite: "get", name: "allocations, a view each, a new store", unit: "per read", larder: allocations)
    }
}

/// The same random rows for everyone, their keys ready beforehand in the form each needs.
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

    /// Reads in one view or transaction. Without `isUsed`, only the lengths are looked at.
    func inOneView(using isUsed: Bool) -> [Contender] {
        let records = isUsed ? numbers.reduce(0) { $0 &+ fixture.recordSums[$1] } : nil
        return [
            contender("Larder", timed, payloadSum(isUsed)) {
                var sum: UInt64 = 0
                try fixture.store.read { view in for key in rowKeys { sum &+= try read(key, view, isUsed) } }
                return sum
            },
            contender("mdb_get", timed, records) {
                let transaction = try fixture.raw.beginRead()
                defer { mdb_txn_abort(transaction) }
                var sum: UInt64 = 0
                try rawKeys.forEach { key in
                    let value = try fixture.raw.get(key, transaction)
                    sum &+= isUsed ? use(value) : UInt64(value.count)
                }
                return sum
            },
            sqlite(timed, isUsed),
        ] + fixture.keyValuePeers.map { peer in keyValue(peer, timed, records, isUsed) }
    }

    /// Reads each row in a view of its own, LMDB in a transaction that is renewed, and uses the payload.
    func inViewsOfTheirOwn(_ measure: @escaping Measure) -> [Contender] {
        let records = numbers.reduce(0) { $0 &+ fixture.recordSums[$1] }
        return [
            contender("Larder", measure, payloadSum(true)) {
                var sum: UInt64 = 0
                for key in rowKeys { sum &+= try fixture.store.read { view in try read(key, view, true) } }
                return sum
            },
            contender("mdb_get", measure, records) {
                let transaction = try fixture.raw.beginRead()
                defer { mdb_txn_abort(transaction) }
                mdb_txn_reset(transaction)
                var sum: UInt64 = 0
                try rawKeys.forEach { key in
                    try RawLMDB.check(mdb_txn_renew(transaction))
                    sum &+= use(try fixture.raw.get(key, transaction))
                    mdb_txn_reset(transaction)
                }
                return sum
            },
            sqlite(measure, true),
        ] + fixture.keyValuePeers.map { peer in keyValue(peer, measure, records, true) }
    }

    @inline(__always)
    private func read(_ key: RowKey, _ view: borrowing ReadView, _ isUsed: Bool) throws -> UInt64 {
        guard let row = try view.row(at: key) else { throw PeerError.code(0) }
        return isUsed ? row.payload.withUnsafeBytes { use($0) } : UInt64(row.payload.byteCount)
    }

    private func sqlite(_ measure: @escaping Measure, _ isUsed: Bool) -> Contender {
        contender("SQLite", measure, payloadSum(isUsed)) {
            var sum: UInt64 = 0
            try fixture.sqlite.execute("BEGIN")
            for number in numbers {
                try fixture.sqlite.get(number) { sum &+= isUsed ? use($0) : UInt64($0.count) }
            }
            try fixture.sqlite.execute("COMMIT")
            return sum
        }
    }

    private func keyValue<Peer: KeyValuePeer>(
        _ peer: Peer, _ measure: @escaping Measure, _ expected: UInt64?, _ isUsed: Bool
    ) -> Contender {
        contender(Peer.name, measure, expected) {
            var sum: UInt64 = 0
            try rawKeys.forEach { key in
                try peer.get(key) { sum &+= isUsed ? use($0) : UInt64($0.count) }
            }
            return sum
        }
    }

    private func payloadSum(_ isUsed: Bool) -> UInt64 {
        numbers.reduce(0) { sum, number in
            let payload = fixture.rows.payload(number - 1)
            return sum &+ (isUsed ? payload.withUnsafeBytes { use($0) } : UInt64(payload.count))
        }
    }

    /// Measures `body`, and checks the sum that it returns.
    private func contender(
        _ name: String, _ measure: @escaping Measure, _ expected: UInt64?, _ body: @escaping () throws -> UInt64
    ) -> Contender {
        Contender(name: name) {
            var sum: UInt64 = 0
            let value = try measure(numbers.count) { sum = try body() }
            if let expected { try expect(sum, expected, "what \(name) read") } else { blackHole(sum) }
            return value
        }
    }
}
