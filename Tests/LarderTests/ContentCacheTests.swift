// Proves that the cache reads, queries and searches synced content as values, without a network.

import Foundation
import Larder
import LarderEngine
import LarderQuery
import LarderServer
import LarderTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct `A content cache` {
    /// Content in a store, with no network any more.
    private func filled(_ body: (ContentCache, World) async throws -> Void) async throws {
        let world = World()
        try world.publish(10)
        let cache = try await world.open()
        try await world.running(cache) {
            _ = await world.keep("translations:10", in: cache)
            world.network.set(.offline)
            try await body(cache, world)
        }
    }

    @Test func `reads rows as values, by id and by ranges of keys`() async throws {
        try await filled { cache, _ in
            #expect(try cache.row(Verse.self, 1005, in: "translations/10")?.verse_key == "26:155")
            #expect(try cache.row(Verse.self, 9, in: "translations/10") == nil)
            #expect(try cache.row(Verse.self, 1005, in: "translations/11") == nil)
            let near = try cache.rows(Verse.self, in: "translations/10", keys: .numbers(1003..<1006))
            #expect(near.map(\.id) == [1003, 1004, 1005])
            #expect(
                try cache.rows(Verse.self, in: "translations/10", reversed: true, limit: 2).map(\.id) == [1019, 1018])
            #expect(try cache.rows(Verse.self, in: "translations/10", keys: .texts(prefix: "101")).count == 10)
            #expect(try cache.rows(Verse.self, in: "translations/10", keys: .texts(from: "a")).isEmpty)
        }
    }

    @Test func `finds rows by conditions whose values are bound`() async throws {
        try await filled { cache, _ in
            let (from, to) = ("26:155", "26:158")
            let found = try cache.rows(
                Verse.self, where: "verse_key >= \(from) AND verse_key < \(to)", order: "verse_key DESC", limit: 2)
            #expect(found.map(\.verse_key) == ["26:157", "26:156"])
            let hostile = "' OR 1 = 1 --"
            #expect(try cache.rows(Verse.self, where: "verse_key = \(hostile)").isEmpty)
            #expect(try cache.rows(Verse.self, where: "key IN \([1001, 1002, 7])").map(\.id).sorted() == [1001, 1002])
            #expect(try cache.rows(Verse.self, where: "key IN \([Int]())").isEmpty)
            #expect(try cache.rows(Verse.self, where: "text = \(String?.none)").isEmpty)
            let condition: SQLCondition = "price < \(50) AND open = \(true)"
            #expect(condition.sql == "price < ? AND open = ?" && condition.arguments == [.integer(50), .integer(1)])
            #expect(throws: QueryError.self) { try cache.rows(Verse.self, where: "chapter = \(1)") }
        }
    }

    @Test func `can be closed again, as by a caller of a run that has closed it`() async throws {
        let cache = try await World().open()
        try await cache.running {}
        try await cache.close()
        #expect(throws: EngineError.closed) { try cache.rows(Note.self) }
    }

    @Test func `finds rows by their words`() async throws {
        try await filled { cache, _ in
            let hits = try cache.search(Verse.self, "7 riv")
            #expect(hits.map(\.row.id) == [1007])
            #expect(hits.first?.snippet == "word [7] [river]")
        }
    }

    @Test func `reports progress that never goes back and ends when everything can be read`() async throws {
        let world = World()
        // Three pages, so that later ones list further resources.
        for id in 1...220 { try world.publish(Int64(id), count: 1) }
        let cache = try await world.open()
        try await world.running(cache) {
            let seen = await world.keep("translations:*", in: cache)
            let fractions = seen.map { $0.fraction ?? 0 }
            #expect(fractions == fractions.sorted() && fractions.last == 1)
            #expect(seen.filter(\.isReady).count == 1 && seen.last?.isReady == true)
            #expect(seen.last?.resources == 220 && seen.last?.description == "ready offline, 220 resources")
            let rows = try cache.rows(Verse.self, in: "translations/12")
            #expect(rows.count == 1)
        }
    }

    /// The sequence never ended.
    @Test func `ends the progress when the app stops keeping a filter`() async throws {
        let world = World()
        world.network.set(.offline)
        let cache = try await world.open()
        try await world.running(cache) {
            var isStopped = false
            for await _ in cache.keep("translations:*") where !isStopped {
                isStopped = true
                cache.stopKeeping("translations:*")
            }
            #expect(isStopped)
        }
    }

    /// The second call ended at once with the failure of the first.
    @Test func `tries at once when a filter is kept again after a refusal`() async throws {
        let world = World()
        try world.publish(10)
        world.transport.plan(.status(.forbidden), times: 1) { $0.path?.contains("/sync?") == true }
        let cache = try await world.open()
        try await world.running(cache) {
            let refused = await world.keep("translations:10", in: cache)
            #expect(refused.last?.problem != nil && refused.last?.isReady == false)
            let seen = await world.keep("translations:10", in: cache)
            #expect(seen.last?.isReady == true)
        }
    }

    @Test func `runs while a closure runs, and is closed after it`() async throws {
        struct Failure: Error {}
        let world = World()
        try world.publish(10)
        let cache = try await world.open()
        let count = try await cache.running {
            for await progress in cache.keep("translations:10") where progress.isReady { break }
            return try cache.rows(Verse.self, in: "translations/10").count
        }
        #expect(count == 20)
        #expect(throws: EngineError.closed) { try cache.rows(Verse.self, in: "translations/10") }
        let failing = try await world.open()
        await #expect(throws: Failure.self) { try await failing.running { throw Failure() } }
        #expect(throws: EngineError.closed) { try failing.rows(Verse.self, in: "translations/10") }
    }

    @Test func `leaves out texts that are no address, and dates that are no time`() async throws {
        let world = World()
        let cache = try await world.open()
        await #expect(throws: HTTPCacheError.self) { try await cache.text("no address") }
        let condition: SQLCondition = "updated_at < \(milliseconds: Date(timeIntervalSince1970: 1e300))"
        #expect(condition.arguments == [.real(1e303)])
        let keys = ["translations/007", "translations/+7", "7", "/7", "a/b/7"].map { text in ResourceKey(text) }
        #expect(keys == [nil, nil, nil, nil, ResourceKey("a/b", 7)])
        try await cache.close()
    }

    @Test func `reports why content does not arrive`() async throws {
        let world = World()
        world.network.set(.offline)
        let cache = try await world.open()
        try await world.running(cache) {
            for await progress in cache.keep("translations:*") where progress.waitingFor == "waits for the network" {
                #expect(progress.fraction == nil && !progress.isReady)
                break
            }
        }
    }

    @Test func `reports when content that failed is tried again`() async throws {
        let world = World()
        try world.publish(10)
        world.transport.plan(.status(.serviceUnavailable), times: 1) { $0.path?.contains("/sync?") == true }
        let cache = try await world.open()
        try await world.running(cache) {
            for await progress in cache.keep("translations:10") where progress.nextTryAt != nil {
                #expect(progress.description.contains("waits to try again at 20"), "\(progress)")
                #expect(progress.problem?.contains("503") == true)
                break
            }
        }
    }

    @Test func `keeps what it was opened with, and drops indexes that the rows no longer declare`() async throws {
        struct Plain: CachedRow {
            static let schema = RowSchema("translation", in: .group("translations"), columns: "verse_key")
            let id: Int
        }
        let world = World()
        try world.publish(10)
        let cache = try await world.open()
        try await world.running(cache) { _ = await world.keep("translations:10", in: cache) }
        let second = try await world.open(rows: [Plain.self])
        #expect(try second.store.read { view in try view.indexes().isEmpty })
        #expect(try second.rows(Plain.self, where: "verse_key = \("26:150")").map(\.id) == [1000])
        try await second.close()
    }

    @Test func `treats a payload that does not decode as the schema says`() async throws {
        struct Strict: CachedRow {
            static let schema = RowSchema("translation", in: .group("translations"))
            let id: Int, author: String
        }
        struct Lenient: CachedRow {
            static let schema = RowSchema("translation", in: .group("translations"), undecodable: .isLeftOut)
            let id: Int, author: String
        }
        struct Migrated: CachedRow {
            static let schema = RowSchema(
                "translation", in: .group("translations"),
                undecodable: .migrates { _ in Array(#"{"id":1,"author":"?"}"#.utf8) })
            let id: Int, author: String
        }
        try await filled { cache, _ in
            let error = try #require(throws: RowError.self) { try cache.rows(Strict.self, in: "translations/10") }
            #expect(error.description.contains("the member author is missing") && !error.description.contains("river"))
            #expect(try cache.rows(Lenient.self, in: "translations/10").isEmpty)
            #expect(try cache.row(Migrated.self, 1003, in: "translations/10")?.author == "?")
        }
    }
}
