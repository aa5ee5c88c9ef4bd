// Proves that a server's wait survives a restart, is bounded, and is ignored once the clock was moved back before it.
import LarderEngine
import LarderFormat
import LarderStore
import Testing

@Suite struct `The wait that a server requested` {
    private let directory = TemporaryStore()
    private let server = "https://api.example.org"
    private let noon: Int64 = 1_767_225_600_000

    private func remainingWait(_ store: Store, at now: Int64, of server: String? = nil) throws -> Int64? {
        try store.read { view in
            try view.serverWait(of: server ?? self.server, at: now)?.remaining(at: now)
        }
    }

    @Test func `outlives the process, for that server alone`() async throws {
        let first = try directory.open()
        #expect(try remainingWait(first, at: noon) == nil)
        try await first.write { [noon, server] in
            try $0.setServerWait(of: server, milliseconds: 60_000, at: noon)
        }
        try first.close()
        let store = try directory.open()
        #expect(try remainingWait(store, at: noon + 20_000) == 40_000)
        #expect(try remainingWait(store, at: noon + 20_000, of: "https://api.example.org:8443") == nil)
        #expect(try remainingWait(store, at: noon + 60_000) == nil)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `is a day at most`() async throws {
        let store = try directory.open()
        try await store.write { [noon, server] in
            try $0.setServerWait(of: server, milliseconds: 10 * 365 * 86_400_000, at: noon)
        }
        #expect(try remainingWait(store, at: noon) == 86_400_000)
        #expect(try remainingWait(store, at: .max) == nil)
        try store.close()
    }

    @Test func `is ignored before the time it was recorded at, and can be replaced by another`() async throws {
        let store = try directory.open()
        try await store.write { [noon, server] in
            try $0.setServerWait(of: server, milliseconds: 3_600_000, at: noon)
        }
        for now in [noon - 1, noon - 86_400_000, .min] {
            #expect(try remainingWait(store, at: now) == nil)
            let found = try await store.write { [server] in try $0.serverWait(of: server, at: now) }
            #expect(found == nil)
        }
        try await store.write { [noon, server] in
            try $0.setServerWait(of: server, milliseconds: 60_000, at: noon - 86_400_000)
        }
        #expect(try remainingWait(store, at: noon - 86_400_000) == 60_000)
        try store.close()
    }

    @Test func `grows where no duration is given, until the server has not requested one for a minute`() async throws {
        let store = try directory.open()
        var now = noon
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60, 1, 2] as [Int64] {
            if seconds == 1 { now += 60_001 }
            // The second answer is to a request that was under way with the first.
            for _ in 1...2 {
                try await store.write { [now, server] in
                    try $0.setServerWait(of: server, milliseconds: nil, at: now)
                }
            }
            #expect(try remainingWait(store, at: now) == seconds * 1000)
            now += seconds * 1000
        }
        try store.close()
    }

    @Test func `is not shortened by a later response, and ends when it is cleared`() async throws {
        let store = try directory.open()
        try await store.write { [noon, server] in
            try $0.setServerWait(of: server, milliseconds: 60_000, at: noon)
            try $0.setServerWait(of: server, milliseconds: 1000, at: noon + 1000)
        }
        #expect(try remainingWait(store, at: noon + 1000) == 59_000)
        try await store.write { [noon, server] in try $0.clearServerWait(of: server, at: noon) }
        #expect(try remainingWait(store, at: noon + 1000) == nil)
        try store.close()
    }

    @Test func `is stored for 64 servers, the longest waits first`() async throws {
        let store = try directory.open()
        for number in 1...70 {
            try await store.write { [noon] in
                try $0.setServerWait(of: "http://\(number)", milliseconds: Int64(number) * 1000, at: noon)
            }
        }
        #expect(try remainingWait(store, at: noon, of: "http://70") == 70_000)
        #expect(try remainingWait(store, at: noon, of: "http://7") == 7000)
        #expect(try remainingWait(store, at: noon, of: "http://6") == nil)
        try store.close()
    }

    @Test func `is ignored in a damaged record, which the next one replaces`() async throws {
        let first = try directory.open()
        try await first.write { [noon, server] in
            try $0.setServerWait(of: server, milliseconds: 60_000, at: noon)
        }
        try first.close()
        let raw = try RawStore(directory.path)
        let record = try #require(try raw.records().first { $0.key == ServerWaitsRecord.key })
        var damaged = record
        damaged.value[5] ^= 1
        try raw.replace([record], by: [damaged])
        try raw.close()
        let store = try directory.open()
        #expect(try remainingWait(store, at: noon) == nil)
        try await store.write { [noon, server] in
            try $0.setServerWait(of: server, milliseconds: 1000, at: noon)
        }
        #expect(try remainingWait(store, at: noon) == 1000)
        try store.close()
    }
}
