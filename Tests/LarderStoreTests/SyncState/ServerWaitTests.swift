// Proves that a server's wait is kept over a restart, is bounded, and counts for nothing once the clock was set back behind it.
import LarderEngine
import LarderFormat
import LarderStore
import Testing

@Suite struct `The wait a server asked for` {
    private let directory = TemporaryStore()
    private let server = "https://api.example.org"
    private let noon: Int64 = 1_767_225_600_000

    private func rest(_ store: Store, at now: Int64, of server: String? = nil) throws -> Int64? {
        try store.read { view in
            try view.serverWait(of: server ?? self.server, at: now)?.remaining(at: now)
        }
    }

    @Test func `outlives the process, for that server alone`() async throws {
        let first = try directory.open()
        #expect(try rest(first, at: noon) == nil)
        try await first.write { [noon, server] in
            try $0.noteServerWait(of: server, milliseconds: 60_000, at: noon)
        }
        try first.close()
        let store = try directory.open()
        #expect(try rest(store, at: noon + 20_000) == 40_000)
        #expect(try rest(store, at: noon + 20_000, of: "https://api.example.org:8443") == nil)
        #expect(try rest(store, at: noon + 60_000) == nil)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `is a day at most`() async throws {
        let store = try directory.open()
        try await store.write { [noon, server] in
            try $0.noteServerWait(of: server, milliseconds: 10 * 365 * 86_400_000, at: noon)
        }
        #expect(try rest(store, at: noon) == 86_400_000)
        #expect(try rest(store, at: .max) == nil)
        try store.close()
    }

    @Test func `counts for nothing before it was noted, and makes room for another`() async throws {
        let store = try directory.open()
        try await store.write { [noon, server] in
            try $0.noteServerWait(of: server, milliseconds: 3_600_000, at: noon)
        }
        for now in [noon - 1, noon - 86_400_000, .min] {
            #expect(try rest(store, at: now) == nil)
            let found = try await store.write { [server] in try $0.serverWait(of: server, at: now) }
            #expect(found == nil)
        }
        try await store.write { [noon, server] in
            try $0.noteServerWait(of: server, milliseconds: 60_000, at: noon - 86_400_000)
        }
        #expect(try rest(store, at: noon - 86_400_000) == 60_000)
        try store.close()
    }

    @Test func `grows where it does not say for how long, until it has kept quiet for a minute`() async throws {
        let store = try directory.open()
        var now = noon
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60, 1, 2] as [Int64] {
            if seconds == 1 { now += 60_001 }
            // The second answer is to a request that was under way with the first.
            for _ in 1...2 {
                try await store.write { [now, server] in
                    try $0.noteServerWait(of: server, milliseconds: nil, at: now)
                }
            }
            #expect(try rest(store, at: now) == seconds * 1000)
            now += seconds * 1000
        }
        try store.close()
    }

    @Test func `is not made shorter by a later answer, and ends when somebody says so`() async throws {
        let store = try directory.open()
        try await store.write { [noon, server] in
            try $0.noteServerWait(of: server, milliseconds: 60_000, at: noon)
            try $0.noteServerWait(of: server, milliseconds: 1000, at: noon + 1000)
        }
        #expect(try rest(store, at: noon + 1000) == 59_000)
        try await store.write { [noon, server] in try $0.endServerWait(of: server, at: noon) }
        #expect(try rest(store, at: noon + 1000) == nil)
        try store.close()
    }

    @Test func `is kept for 64 servers, of more for those that wait longest`() async throws {
        let store = try directory.open()
        for number in 1...70 {
            try await store.write { [noon] in
                try $0.noteServerWait(of: "http://\(number)", milliseconds: Int64(number) * 1000, at: noon)
            }
        }
        #expect(try rest(store, at: noon, of: "http://70") == 70_000)
        #expect(try rest(store, at: noon, of: "http://7") == 7000)
        #expect(try rest(store, at: noon, of: "http://6") == nil)
        try store.close()
    }

    @Test func `is nothing in a damaged record, which the next one replaces`() async throws {
        let first = try directory.open()
        try await first.write { [noon, server] in
            try $0.noteServerWait(of: server, milliseconds: 60_000, at: noon)
        }
        try first.close()
        let raw = try RawStore(directory.path)
        let record = try #require(try raw.records().first { $0.key == ServerWaitsRecord.key })
        var damaged = record
        damaged.value[5] ^= 1
        try raw.replace([record], by: [damaged])
        try raw.close()
        let store = try directory.open()
        #expect(try rest(store, at: noon) == nil)
        try await store.write { [noon, server] in
            try $0.noteServerWait(of: server, milliseconds: 1000, at: noon)
        }
        #expect(try rest(store, at: noon) == 1000)
        try store.close()
    }
}
