// Proves that a cache in a store persists responses, releases their bodies, stores no secret and keeps to its limit.

import Foundation
import HTTPTypes
import Larder
import LarderEngine
import LarderFormat
import LarderHTTP
import LarderStore
import LarderTesting
import LarderTransport
import Testing

@Suite struct `A cache in a store` {
    private let directory = TemporaryDirectory()

    private func open() throws -> Store { try Store.open(at: directory.path + "/store", host: .still) }

    @Test func `has everything again after the store was closed`() async throws {
        let response = makeResponse(etag: "\"1\"")
        do {
            let store = try open()
            try await StoreResponseCache(store: store).store(response, "k", body: "body", tags: ["t"])
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

    @Test func `leaves a confirmed body where it is`() async throws {
        let store = try open()
        let cache = StoreResponseCache(store: store)
        let stored = try await cache.store(makeResponse(etag: "1"), "k", body: String(repeating: "x", count: 100_000))
        let chunks = try store.records(of: .blobs)
        try await cache.refresh(stored, with: makeResponse(etag: "2", receivedAt: 1_700_000_100_000))
        #expect(try store.records(of: .blobs) == chunks)
        try store.verifySound()
        try store.close()
    }

    @Test func `records what is used`() async throws {
        let store = try open()
        let cache = StoreResponseCache(store: store)
        let stored = try await cache.store(makeResponse(), "k", body: "body")
        #expect(store.usage.lastUse(ofResponse: Int64(stored.identity)) == nil)
        _ = try await cache.entries(for: "k")
        #expect(store.usage.lastUse(ofResponse: Int64(stored.identity)) == 1_700_000_000_000)
        try store.close()
    }

    @Test func `releases bodies, and the store removes those without a reference`() async throws {
        let store = try open()
        let cache = StoreResponseCache(store: store)
        for number in 0..<10 {
            try await cache.store(makeResponse(), "k", body: String(repeating: "\(number)", count: 300_000))
        }
        try await store.reclaim()
        #expect(try store.statistics().storedSize < 310_000)
        try store.verifySound()
        try store.close()
    }

    @Test func `drops a response whose body was damaged, and returns no wrong byte`() async throws {
        let store = try open()
        let cache = StoreResponseCache(store: store)
        let body = String(repeating: UUID().uuidString, count: 4000)
        try await cache.store(makeResponse(), "k", body: body)
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
                makeResponse(), for: String(repeating: "k", count: 40_000), options: StorageOptions())
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
                let stored = try await cache.store(response, "k", body: "body")
                try await cache.refresh(stored, with: response)
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
    @Test func `copies nothing of a body before it is read`() async throws {
        let store = try open()
        let cache = StoreResponseCache(store: store)
        let size = 64_000_000
        let writer = try await cache.write(makeResponse(), for: "k", options: StorageOptions())
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

@Suite(.timeLimit(.minutes(5))) struct `A cache in a store, with a limit,` {
    private let directory = TemporaryDirectory()

    private let host = HostServices.withTickingClock()

    private func open() throws -> Store { try Store.open(at: directory.path + "/store", host: host) }

    /// What responses take, once nothing more is evicted.
    private func waitForByteCount(_ store: Store, atMost limit: Int) async throws -> Int {
        var size = Int.max
        while size > limit {
            try await store.reclaim()
            size = Int(try store.statistics().storedSize)
        }
        return size
    }

    @Test func `keeps to it, and evicts what was not used for long`() async throws {
        let store = try open()
        let cache = StoreResponseCache(store: store, maximumBytes: 200_000)
        let used = try await cache.store(makeResponse(), "used", body: "used")
        for number in 0..<300 {
            try await cache.store(makeResponse(), "k\(number)", body: String(repeating: "x", count: 3000))
            cache.recordUse(of: used)
            _ = try await waitForByteCount(store, atMost: 225_000)
        }
        #expect(try await waitForByteCount(store, atMost: 225_000) > 100_000)
        #expect(try await cache.texts("used") == ["used"])
        #expect(try await cache.entries(for: "k299").count == 1)
        #expect(try await cache.entries(for: "k0").isEmpty)
        try store.verifySound()
        try store.close()
    }

    @Test func `brings a store down that holds more, and leaves rows and pinned responses alone`() async throws {
        let row = RowKey(resource: ResourceKey("g", 1), type: "t", key: "k")
        let text = String(repeating: "x", count: 10_000)
        do {
            let store = try open()
            try await store.write { try $0.put(Array(text.utf8), at: row, updatedAt: 1) }
            let cache = StoreResponseCache(store: store)
            for number in 0..<100 {
                try await cache.store(makeResponse(), "k\(number)", body: text, isPinned: number < 5)
            }
            try store.close()
        }
        let store = try open()
        let cache = StoreResponseCache(store: store, maximumBytes: 200_000)
        _ = try await cache.entries(for: "k7")
        #expect(try await cache.texts("k9") == [text])
        try await cache.store(makeResponse(), "new", body: text)
        _ = try await waitForByteCount(store, atMost: 240_000)
        #expect(try await cache.texts("new") == [text])
        for number in 0..<5 { #expect(try await cache.texts("k\(number)") == [text]) }
        #expect(try store.read { view in try view.payload(at: row) } == Array(text.utf8))
        try store.verifySound()
        try store.close()
    }

    @Test func `refuses nothing when pinned responses need more`() async throws {
        let store = try open()
        let cache = StoreResponseCache(store: store, maximumBytes: 20_000)
        let text = String(repeating: "x", count: 10_000)
        for number in 0..<5 { try await cache.store(makeResponse(), "p\(number)", body: text, isPinned: true) }
        for number in 0..<20 { try await cache.store(makeResponse(), "k\(number)", body: text) }
        _ = try await waitForByteCount(store, atMost: 80_000)
        for number in 0..<5 { #expect(try await cache.texts("p\(number)") == [text]) }
        try store.close()
    }

    @Test func `is what the system's cache is by default`() async throws {
        let store = try open()
        let transport = HandlerTransport { (_, _) throws(TransportError) in
            ok([.cacheControl: "max-age=60"], String(repeating: "x", count: 10_000))
        }
        let cache = HTTPCache.system(store: store, transport: transport, storedBytes: 50_000)
        for number in 0..<40 { _ = try await FetchedText(cache.fetch(request("/\(number)"))) }
        #expect(try await waitForByteCount(store, atMost: 64_000) > 10_000)
        await cache.close()
        try store.close()
    }
}
