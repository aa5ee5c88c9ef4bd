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
            measurements.append(
                try await .compare(
                    "scan", name, size: "100 k rows", unit: "ns/row", rounds: isQuick ? 5 : 15,
                    [
                        larder(fixture, verified: isVerified, used: isUsed), raw(fixture, used: isUsed),
                        sqlite(fixture, used: isUsed),
                    ]))
        }
        try fixture.close()
        return measurements
    }

    private static func larder(_ fixture: ReadFixture, verified: Bool, used: Bool) -> Contender {
        Contender(name: "Larder") {
            var sum: UInt64 = 0
            let duration = try timed(fixture.rows.count) {
                let count = try fixture.store.read { view in
                    try view.forEachRow(in: .all(of: fixture.resource), verified: verified) { entry in
                        sum &+=
                            used
                            ? entry.row.payload.withUnsafeBytes { use($0) } : UInt64(entry.row.payload.byteCount)
                    }
                }
                if count != fixture.rows.count { throw PeerError.code(0) }
            }
            blackHole(sum)
            return duration
        }
    }

    private static func raw(_ fixture: ReadFixture, used: Bool) -> Contender {
        Contender(name: "cursor") {
            var sum: UInt64 = 0
            let duration = try timed(fixture.rows.count) {
                try fixture.raw.scan { _, value in
                    let bytes = UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
                    sum &+= used ? use(bytes) : UInt64(bytes.count)
                }
            }
            blackHole(sum)
            return duration
        }
    }

    private static func sqlite(_ fixture: ReadFixture, used: Bool) -> Contender {
        Contender(name: "SQLite") {
            var sum: UInt64 = 0
            let duration = try timed(fixture.rows.count) {
                try fixture.sqlite.scan { sum &+= used ? use($0) : UInt64($0.count) }
            }
            blackHole(sum)
            return duration
        }
    }
}
