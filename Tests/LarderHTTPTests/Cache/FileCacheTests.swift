// Proves that the file cache survives restarts, crashes and damage, keeps to its size limit and excludes other users of its directory.

import Foundation
import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A cache of files` {
    private let directory = TemporaryDirectory()

    private var path: String { directory.path + "/cache" }

    private func open(maximumBytes: Int = 5_000_000, now: Int64 = 1_700_000_000_000) throws -> FileCache {
        try FileCache(directory: path, maximumBytes: maximumBytes, now: { now })
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".response") }.sorted()
    }

    private func change(_ name: String, _ edit: (inout Data) -> Void) throws {
        let url = URL(fileURLWithPath: path + "/" + name)
        var data = try Data(contentsOf: url)
        edit(&data)
        try data.write(to: url)
    }

    /// §2.1.3.
    @Test func `has one file for each resource`() async throws {
        let cache = try open()
        for key in ["a", "b", "c"] { try await cache.store(makeResponse(), key, body: key) }
        #expect(try files().count == 3)
        try await cache.store(makeResponse(), "a", body: "again")
        #expect(try files().count == 3)
        try await cache.remove(.key("b"))
        #expect(try files().count == 2)
        try await cache.remove(.all)
        #expect(try files().isEmpty)
        #expect(cache.byteCount == 0)
    }

    @Test func `holds five megabytes by default`() throws {
        #expect(try FileCache(directory: path, now: { 0 }).maximumBytes == 5_000_000)
    }

    @Test func `has everything again after it was closed`() async throws {
        var response = makeResponse(etag: "\"1\"")
        response.coverage = .part(0..<4, total: nil)
        var size = 0
        do {
            let cache = try open()
            try await cache.store(response, "k", body: "body", tags: ["t"])
            try await cache.store(makeResponse(), "l", body: "other")
            try await cache.invalidate("l")
            size = cache.byteCount
        }
        let cache = try open()
        let entry = try #require(try await cache.entries(for: "k").first)
        #expect(entry.response == response)
        #expect(entry.tags == ["t"])
        #expect(try entry.text() == "body")
        #expect(try await cache.entries(for: "l").first?.response.isInvalidated == true)
        #expect(cache.byteCount == size)
        let fresh = try await cache.store(makeResponse(), "m", body: "")
        #expect(fresh.identity > entry.identity)
    }

    @Test func `drops what a crash left unfinished, and what is not its own`() async throws {
        do {
            let cache = try open()
            try await cache.store(makeResponse(), "k", body: "body")
        }
        for name in [
            "0000000000000009.part", "notes.txt", "0-0.response", "0000000000000001-0000000000000001.response",
        ] {
            try Data("foreign".utf8).write(to: URL(fileURLWithPath: path + "/" + name))
        }
        let cache = try open()
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 2)
        #expect(try await cache.texts("k") == ["body"])
    }

    @Test func `drops a file that is cut off anywhere, whatever is left of it`() async throws {
        do {
            let cache = try open()
            try await cache.store(makeResponse(), "k", body: String(repeating: "body", count: 20_000))
        }
        let name = try #require(try files().first)
        let whole = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
        for length in [0, 1, 31, 32, 2000, 4128, 50_000, whole.count - 1] {
            try change(name) { $0 = whole.prefix(length) }
            let cache = try open()
            #expect(try await cache.entries(for: "k").isEmpty, "\(length)")
            #expect(try files().isEmpty)
            #expect(cache.byteCount == 0)
            try whole.write(to: URL(fileURLWithPath: path + "/" + name))
        }
    }

    @Test func `never gives a wrong byte, whichever one changed`() async throws {
        let body = String(repeating: "0123456789", count: 5000)
        let response = makeResponse(etag: "e")
        do {
            let cache = try open()
            try await cache.store(response, "k", body: body)
        }
        let name = try #require(try files().first)
        let whole = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
        for position in stride(from: 0, to: whole.count, by: 97) {
            try change(name) { $0[position] ^= 0x10 }
            let cache = try open()
            if let entry = try await cache.entries(for: "k").first {
                #expect(entry.response == response)
                do {
                    #expect(try entry.text() == body)
                } catch HTTPCacheError.bodyRemoved {
                    // Found, and dropped.
                    #expect(try await cache.entries(for: "k").isEmpty)
                }
            }
            try whole.write(to: URL(fileURLWithPath: path + "/" + name))
        }
    }

    @Test func `has a confirmed response with its body, also when another confirmation was not finished`() async throws
    {
        let body = String(repeating: "body", count: 20_000)
        do {
            let cache = try open()
            let stored = try await cache.store(makeResponse(etag: "1"), "k", body: body)
            try await cache.refresh(stored, with: makeResponse(etag: "2"))
            let size = cache.byteCount
            try await cache.refresh(stored, with: makeResponse(etag: String(repeating: "3", count: 3000)))
            #expect(cache.byteCount > size + 2900)
            #expect(try stored.text() == body)
            try await cache.refresh(stored, with: makeResponse(etag: "4"))
            #expect(try files().count == 1)
        }
        let name = try #require(try files().first)
        let whole = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
        try whole.prefix(50_000).write(to: URL(fileURLWithPath: path + "/" + name + ".part"))
        let cache = try open()
        #expect(try await cache.entries(for: "k").first?.response.fields[.eTag] == "4")
        #expect(try await cache.texts("k") == [body])
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 2)
    }

    @Test func `prunes to nine tenths, what was used longest ago first`() async throws {
        let cache = try open(maximumBytes: 100_000)
        let body = String(repeating: "x", count: 5000)
        for number in 0..<10 { try await cache.store(makeResponse(), "\(number)", body: body) }
        let each = cache.byteCount / 10
        _ = try await cache.entries(for: "0")
        var number = 10
        while cache.byteCount + each <= 100_000 {
            try await cache.store(makeResponse(), "\(number)", body: body)
            number += 1
        }
        try await cache.store(makeResponse(), "last", body: body)
        #expect(cache.byteCount <= 90_000)
        #expect(try await cache.texts("0") == [body])
        #expect(try await cache.entries(for: "1").isEmpty)
        #expect(try await cache.texts("last") == [body])
    }

    @Test func `remembers across a start what was used longest ago`() async throws {
        let body = String(repeating: "x", count: 20_000)
        do {
            let time = Mutex<Int64>(1_700_000_000_000)
            let cache = try FileCache(directory: path, maximumBytes: 100_000) { time.withLock { $0 } }
            for key in ["a", "b", "c"] {
                try await cache.store(makeResponse(), key, body: body)
                time.withLock { $0 += 10_000 }
            }
            time.withLock { $0 += 4_000_000 }
            _ = try await cache.entries(for: "a")
        }
        let cache = try open(maximumBytes: 60_000)
        #expect(try await cache.entries(for: "b").isEmpty)
        #expect(try await cache.texts("a") == [body])
    }

    @Test func `remembers across a start what was used shortly before it was closed`() async throws {
        let body = String(repeating: "x", count: 20_000)
        let time = Mutex<Int64>(1_700_000_000_000)
        let cache = try FileCache(directory: path, maximumBytes: 100_000) { time.withLock { $0 } }
        for key in ["a", "b", "c"] {
            try await cache.store(makeResponse(), key, body: body)
            time.withLock { $0 += 10 }
        }
        _ = try await cache.entries(for: "a")
        cache.close()
        let next = try open(maximumBytes: 60_000)
        #expect(try await next.entries(for: "b").isEmpty)
        #expect(try await next.texts("a") == [body])
    }

    @Test func `lets another use its directory once it is closed, whoever holds a response`() async throws {
        let body = String(repeating: "x", count: 100_000)
        let cache = try open()
        let held = try await cache.store(makeResponse(), "k", body: body)
        let unfinished = try await cache.write(makeResponse(), for: "l", options: StorageOptions())
        try unfinished.append(body)
        cache.close()
        let next = try open()
        #expect(try await next.texts("k") == [body])
        #expect(try held.text() == body)
        await #expect(throws: FileCacheError.closed) { _ = try await unfinished.finish(coverage: nil) }
        await #expect(throws: FileCacheError.closed) { try await cache.store(makeResponse(), "m", body: "") }
        #expect(try await cache.entries(for: "k").isEmpty)
        #expect(try await cache.remove(.all) == 0)
        try await next.remove(.key("k"))
        #expect(try held.text() == body)
        #expect(try files().isEmpty)
    }

    @Test func `is free with its last reference, whoever holds a response that came out of it`() async throws {
        var held: [Fetched<HTTPAnswer>] = []
        do {
            let cache = HTTPCache(
                transport: HandlerTransport { (_, _) throws(TransportError) in ok([.cacheControl: "max-age=60"]) },
                persistent: try open(), services: .still)
            held.append(try await cache.fetch(request()))
            #expect(try await held[0].value.body.bytes().count == 5)
            held.append(try await cache.fetch(request()))
            await cache.close()
        }
        var next: FileCache?
        // The task of an exchange may be on its way out.
        while next == nil {
            do { next = try open() } catch FileCacheError.inUse { await Task.yield() }
        }
        #expect(try await next?.texts(key()) == ["hello"])
        #expect(held.map(\.origin) == [.network, .cache])
        #expect(try await held[1].value.body.bytes().count == 5)
    }

    @Test func `does not store what needs more than nine tenths, and serves it while it is held`() async throws {
        let cache = try open(maximumBytes: 100_000)
        try await cache.store(makeResponse(), "small", body: "small")
        let body = String(repeating: "x", count: 95_000)
        let stored = try await cache.store(makeResponse(), "large", body: body)
        #expect(try stored.text() == body)
        #expect(try await cache.entries(for: "large").isEmpty)
        #expect(try await cache.texts("small") == ["small"])
        #expect(try files().count == 1)
    }

    @Test func `leaves pinned responses, and refuses others when they leave no space`() async throws {
        let cache = try open(maximumBytes: 100_000)
        let body = String(repeating: "x", count: 40_000)
        try await cache.store(makeResponse(), "p", body: body, isPinned: true)
        try await cache.store(makeResponse(), "q", body: body, isPinned: true)
        try await cache.store(makeResponse(), "r", body: body)
        #expect(try await cache.entries(for: "r").isEmpty)
        #expect(try await cache.texts("p") == [body])
        #expect(try await cache.texts("q") == [body])
        #expect(cache.byteCount <= 100_000)
    }

    @Test func `refuses a directory that holds the files of others, and loses none of them`() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data("letter".utf8).write(to: URL(fileURLWithPath: path + "/letter.txt"))
        #expect(throws: FileCacheError.foreignDirectory) { try open() }
        #expect(FileManager.default.fileExists(atPath: path + "/letter.txt"))
    }

    @Test func `shares its directory with no other cache`() throws {
        let cache = try open()
        #expect(throws: FileCacheError.inUse) { try open() }
        withExtendedLifetime(cache) {}
    }

    @Test func `marks a response as to be refreshed, or as expired`() async throws {
        let cache = try open()
        try await cache.store(makeResponse(), "k", body: "body")
        try cache.invalidate("k", fullExpire: false)
        let soft = try #require(try await cache.entries(for: "k").first).response
        #expect(soft.isRefreshDue && !soft.isInvalidated)
        let reading = CachePolicy().freshness(of: soft, at: soft.receivedAt)
        #expect(reading.isFresh && reading.softLifetime == 0 && !reading.needsValidation)
        try cache.invalidate("k", fullExpire: true)
        try cache.invalidate("k", fullExpire: false)
        let full = try #require(try await cache.entries(for: "k").first).response
        #expect(full.isInvalidated)
        #expect(!CachePolicy().freshness(of: full, at: full.receivedAt).isFresh)
    }
}
