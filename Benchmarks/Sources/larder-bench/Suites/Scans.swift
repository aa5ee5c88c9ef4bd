// Scans: every row of a resource in key order, from a warm file.

import CRawLMDB
import LarderFormat
import LarderStore

/// Every row of a resource in key order, from a warm file.
enum Scans {
    static func run(isQuick: Bool) async throws -> [Measurement] {
        let fixture = try await ReadFixture.make(rows: 100_000)
        var measurements: [Measurement] = []
        for (name, isVerified, isUsed) in [
            ("unverified, payload used", false, true), ("verified, payload used", true, true),
            ("unverified, payload not used", false, false), ("verified, payload not used", true, false),
        ] {
            let peers = fixture.keyValuePeers.map { keyValue($0, fixture, verified: isVerified, used: isUsed) }
            measurements.append(
                try await .compare(
                    "scan", name, size: "100 k rows", unit: "ns/row", rounds: isQuick ? 5 : 15,
                    [
                        larder(fixture, verified: isVerified, used: isUsed), raw(fixture, used: isUsed),
                        sqlite(fixture, used: isUsed),
                    ] + peers))
        }
        try fixture.close()
        return measurements
    }

    private static func larder(_ fixture: ReadFixture, verified: Bool, used: Bool) -> Contender {
        contender("Larder", fixture, payloads(of: fixture, used)) {
            var sum: UInt64 = 0
            try fixture.store.read { view in
                _ = try view.forEachRow(in: .all(of: fixture.resource), verified: verified) { entry in
                    sum &+= used ? entry.row.payload.withUnsafeBytes { use($0) } : 1
                }
            }
            return sum
        }
    }

    private static func raw(_ fixture: ReadFixture, used: Bool) -> Contender {
        contender("cursor", fixture, records(of: fixture, used)) {
            var sum: UInt64 = 0
            try fixture.raw.scan { _, value in
                sum &+= used ? use(UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)) : 1
            }
            return sum
        }
    }

    private static func sqlite(_ fixture: ReadFixture, used: Bool) -> Contender {
        contender("SQLite", fixture, payloads(of: fixture, used)) {
            var sum: UInt64 = 0
            try fixture.sqlite.scan { sum &+= used ? use($0) : 1 }
            return sum
        }
    }

    private static func keyValue<Peer: KeyValuePeer>(
        _ peer: Peer, _ fixture: ReadFixture, verified: Bool, used: Bool
    ) -> Contender {
        contender(Peer.name, fixture, records(of: fixture, used)) {
            var sum: UInt64 = 0
            try peer.scan(verified: verified) { sum &+= used ? use($0) : 1 }
            return sum
        }
    }

    /// Measures `body`, and checks the sum that it returns.
    private static func contender(
        _ name: String, _ fixture: ReadFixture, _ expected: UInt64, _ body: @escaping () throws -> UInt64
    ) -> Contender {
        Contender(name: name) {
            var sum: UInt64 = 0
            let duration = try timed(fixture.rows.count) { sum = try body() }
            try expect(sum, expected, "what \(name) read")
            return duration
        }
    }

    private static func payloads(of fixture: ReadFixture, _ isUsed: Bool) -> UInt64 {
        (0..<fixture.rows.count).reduce(0) { sum, row in
            sum &+ (isUsed ? fixture.rows.payload(row).withUnsafeBytes { use($0) } : 1)
        }
    }

    private static func records(of fixture: ReadFixture, _ isUsed: Bool) -> UInt64 {
        fixture.recordSums.reduce(0) { $0 &+ (isUsed ? $1 : 1) }
    }
}
