import Foundation
import HTTPTypes
import LarderEngine
import LarderFormat
import LarderHTTP
import LarderStore
import Testing

@Suite struct `A cache in a store` {
    private let directory = TemporaryDirectory()

    private func open() throws -> Store { try Store.open(at: directory.path + "/store", host: .still) }

    @Test func `has everything again after the store was closed`() async throws {
        let response = makeResponse(etag: "\"1\"")
        do {
            let store = try open()
            try await StoreResponseCache(store: store).keep(response, "k", body: "body", tags: ["t"])
            try store.close()
        }
        let store = try open()
        let cache = StoreResponseCache(store: store)
        let entry = try #require(try await cache.entries(for: "k").first)
        #expect(entry.response == response)
        #expect(try entry.text() == "body")
        try store.verifySound()
        try store.close()
    }

    @Test func `keeps a confirmed body where it is`() async throws {
        let store = try open()
        let cache = StoreResponseCache(store: store)
        let kept = try await cache.keep(makeResponse(etag: "1"), "k", body: String(repeating: "x", count: 100_000))
        let chunks = try store.records(of: .blobs)
        try await cache.refresh(kept, with: makeResponse(etag: "2", receivedAt: 1_700_000_100_000))
        #expect(try store.records(of: .blobs) == chunks)
        try store.verifySound()
        try store.close()
    }

    @Test func `notes what is used`() async throws {
        let store = try open()
        let cache = StoreResponseCache(store: store)
        let kept = try await cache.keep(makeResponse(), "k", body: "body")
        #expect(store.usage.lastUse(ofResponse: Int64(kept.identity)) == nil)
        _ = try await cache.entries(for: "k")
        #expect(store.usage.lastUse(ofResponse: Int64(kept.identity)) == 1_700_000_000_000)
        try store.close()
    }

    @Test func `lets go of bodies, and the store gives up what nobody names`() async throws {
        let store = try open()
        let cache = StoreResponseCache(store: store)
        for number in 0..<10 {
            try await cache.keep(makeResponse(), "k", body: String(repeating: "\(number)", count: 300_000))
        }
        try await store.reclaim()
        #expect(try store.statistics().storedSize < 310_000)
        try store.verifySound()
        try store.close()
    }

    @Test func `drops a response whose body was damaged, and lends no wrong byte`() async throws {
        let store = try open()
        let cache = StoreResponseCache(store: store)
        let body = String(repeating: UUID().uuidString, count: 4000)
        try await cache.keep(makeResponse(), "k", body: body)
        let entry = try #require(try await cache.entries(for: "k").first)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: directory.path + "/store/data.mdb"))
        let data = try #require(try file.readToEnd())
        let place = try #require(data.range(of: Data(body.utf8.prefix(100)))).lowerBound + 50
        try file.seek(toOffset: UInt64(place))
        try file.write(contentsOf: [data[place] ^ 1])
        #expect(throws: HTTPCacheError.self) { try entry.text() }
        var isGone = false
        for _ in 0..<2000 where !isGone {
            isGone = try await cache.entries(for: "k").isEmpty
            if !isGone { try await Task.sleep(for: .milliseconds(5)) }
        }
        #expect(isGone)
        try store.close()
    }

    @Test func `refuses a key beyond the limits before the body comes`() async throws {
        let store = try open()
        let cache = StoreResponseCache(store: store)
        await #expect(throws: StoreError.self) {
            _ = try await cache.write(
                makeResponse(), for: String(repeating: "k", count: 40_000), options: KeepOptions())
        }
        try store.close()
    }

    @Test func `has no secret in any file, whatever it was given`() async throws {
        let secret = "hush-\(UUID().uuidString)"
        var response = makeResponse()
        for name in [HTTPField.Name.setCookie, .cookie, .authorization, .proxyAuthorization] {
            response.fields[name] = "token=" + secret
        }
        response.selecting.append(.init(name: "authorization", value: secret))
        do {
            let store = try open()
            let files = try FileCache(directory: directory.path + "/files", now: { 0 })
            for cache in [StoreResponseCache(store: store), files] as [any ResponseCache] {
                let kept = try await cache.keep(response, "k", body: "body")
                try await cache.refresh(kept, with: response)
                #expect(try await cache.texts("k") == ["body"])
            }
            try store.close()
        }
        let names = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
        #expect(names.count >= 5)
        for name in names {
            guard let data = try? Data(contentsOf: URL(fileURLWithPath: directory.path + "/" + name)) else { continue }
            #expect(data.range(of: Data(secret.utf8)) == nil, "\(name)")
        }
    }

    #if os(Linux)
    @Test func `copies nothing of a body before it is asked for`() async throws {
        let store = try open()
        let cache = StoreResponseCache(store: store)
        let size = 64_000_000
        let writer = try await cache.write(makeResponse(), for: "k", options: KeepOptions())
        let piece = [UInt8](repeating: 7, count: 1_000_000)
        for _ in 0..<size / piece.count {
            try writer.append(piece.rawSpan)
            try await writer.flush()
        }
        _ = try await writer.finish(coverage: nil)
        // Other tests of this process allocate too, but not this much.
        let before = try anonymousMemory()
        let entry = try #require(try await cache.entries(for: "k").first)
        var sum = 0
        try entry.body.read(0..<Int64(size)) { sum += $0.byteCount }
        #expect(sum == size)
        #expect(try anonymousMemory() - before < size / 2)
        try store.close()
    }

    /// What this process has in memory that is of no file, in bytes.
    private func anonymousMemory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
        return 1024 * (Int(line.filter(\.isNumber)) ?? 0)
    }
    #endif
}

extension Store {
    /// Everything there is in a table.
    fileprivate func records(of table: TableName) throws -> [RawRecord] {
        try read { view in try view.rawRecords(of: table, bytes: .max) }
    }

    /// Fails the test for whatever `verify` finds.
    fileprivate func verifySound() throws {
        _ = try verify { Issue.record("\($0)") }
    }
}
