// Proves that rows are selected by resource and by dates in their form, and that what the server does not have is reported.

import Foundation
import Larder
import LarderServer
import LarderStore
import LarderTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct `A selection of rows` {
    /// Two translations with the same verses.
    private func filled(_ body: (ContentCache, World) async throws -> Void) async throws {
        let world = World()
        try world.publish(10)
        try world.publish(11)
        let cache = try await world.open()
        try await world.running(cache) {
            _ = await world.keep("translations:*", in: cache)
            try await body(cache, world)
        }
    }

    /// Conditions and searches mixed the resources of a group.
    @Test func `may be limited to one resource of a group`() async throws {
        try await filled { cache, _ in
            let condition: SQLCondition = "verse_key = \("26:155") OR verse_key = \("26:156") -- a comment"
            #expect(try cache.rows(Verse.self, where: condition).count == 4)
            #expect(try cache.rows(Verse.self, in: "translations/11", where: condition).map(\.id) == [1005, 1006])
            #expect(try cache.rows(Verse.self, in: "translations/12", where: condition).isEmpty)
            let hits = try cache.search(Verse.self, "5 river")
            #expect(Set(hits.map(\.resource)) == ["translations/10", "translations/11"])
            let own = try cache.search(Verse.self, "5 river", in: "translations/11")
            #expect(own.map(\.resource) == ["translations/11"] && own.map(\.row.id) == [1005])
            #expect(try cache.search(Verse.self, "5 river", in: "translations/12").isEmpty)
            for try await rows in cache.observe(Verse.self, in: "translations/11", where: condition) {
                #expect(rows.map(\.id) == [1005, 1006])
                break
            }
        }
    }

    /// The content was "ready", with no resources.
    @Test func `says what the server does not have`() async throws {
        try await filled { cache, world in
            let seen = await world.keep("translations:10,99;tafsirs:7", in: cache)
            #expect(seen.last?.isReady == true && seen.last?.resources == 1)
            #expect(seen.last?.missing == ["tafsirs/7", "translations/99"])
            #expect(
                seen.last?.description == "ready offline, 1 resource, not on the server: tafsirs/7, translations/99")
        }
    }

    /// The old server's rows were reported as ready.
    @Test func `is not ready with another server's content`() async throws {
        let world = World()
        try world.publish(10)
        let cache = try await world.open()
        try await world.running(cache) { _ = await world.keep("translations:10", in: cache) }
        let moved = try await world.open(content: "http://moved.test/content")
        try await world.running(moved) {
            let seen = await world.keep("translations:10", in: moved)
            #expect(seen.last?.isReady == false)
            let problem = try #require(seen.last?.problem)
            #expect(problem.contains("http://words.test/content") && problem.contains("http://moved.test/content"))
        }
    }

    @Test func `reads and writes dates in the form of the payload`() async throws {
        struct Visit: LocalRow, Equatable {
            static let schema = RowSchema("visit", in: .resource("visits/1"), columns: "at")
            let id: String, at: Date
        }
        struct Stamp: LocalRow, Equatable {
            static let schema = RowSchema("stamp", in: .resource("stamps/1"), columns: "at", dates: .milliseconds)
            let id: String, at: Date
        }
        let world = World()
        world.network.set(.offline)
        let cache = try await world.open(rows: [Visit.self, Stamp.self])
        // The last one is a little less than its milliseconds in binary.
        let times = [1_767_225_600, 1_767_225_600.25, 1_767_225_602.159].map { Date(timeIntervalSince1970: $0) }
        for (index, time) in times.enumerated() {
            try await cache.put(Visit(id: "\(index)", at: time), to: "/visits/\(index)")
            try await cache.put(Stamp(id: "\(index)", at: time), to: "/stamps/\(index)")
        }
        let (visits, stamps) = (try cache.rows(Visit.self), try cache.rows(Stamp.self))
        #expect(visits.map(\.at) == times && stamps.map(\.at) == times)
        #expect(try cache.rows(Visit.self, where: "at = \("2026-01-01T00:00:00Z")").map(\.id) == ["0"])
        #expect(try cache.rows(Visit.self, where: "at = \(iso8601: times[0])").map(\.id) == ["0"])
        #expect(try cache.rows(Stamp.self, where: "at > \(milliseconds: times[0])").map(\.id) == ["1", "2"])
        #expect(try cache.rows(Visit.self, where: "updated_at > \(milliseconds: .distantPast)").count == 3)
        #expect(try cache.rows(Visit.self, where: "at = \("2026-01-01T00:00:02.159Z")").map(\.id) == ["2"])
        let early: SQLCondition = "at < \(iso8601: Date(timeIntervalSince1970: -0.25))"
        #expect(early.arguments == [.text("1969-12-31T23:59:59.750Z")])
        #expect(try cache.rows(Stamp.self, where: "at = \(1_767_225_602_159)").map(\.id) == ["2"])
        try await cache.close()
    }

    @Test func `reads dates of servers in every usual form`() async throws {
        struct Log: CachedRow {
            static let schema = RowSchema("log", in: .resource("logs/1"), undecodable: .isLeftOut)
            let id: Int, at: Date
        }
        let texts = ["2026-01-01T01:30:00+01:30", "2026-01-01T00:00:00.250Z", "2026-01-01", "yesterday"]
        let world = World()
        _ = try world.origin.createResource(
            .init("logs", 1),
            rows: texts.enumerated().map { index, text in
                Origin.Row(type: "log", key: "\(index)", #"{"id":\#(index),"at":"\#(text)"}"#)
            })
        let cache = try await world.open(rows: [Log.self])
        try await world.running(cache) {
            _ = await world.keep("logs:1", in: cache)
            let logs = try cache.rows(Log.self)
            #expect(logs.map(\.at.timeIntervalSince1970) == [1_767_225_600, 1_767_225_600.25])
        }
    }

    @Test func `finds rows that the app stores itself, by their date`() async throws {
        struct Visit: LocalRow {
            static let schema = RowSchema("visit", in: .resource("visits/1"))
            let id: String, at: Date
        }
        let cache = try await World().open()
        let date = Date(timeIntervalSince1970: 1_767_225_600.25)
        try await cache.store.write { transaction in
            let key = RowKey(resource: "notes/1", type: "note", key: "1")
            try transaction.put(Note(id: "1", text: "buy bread"), at: key, updatedAt: date)
            let visit = RowKey(resource: "visits/1", type: "visit", key: "1")
            try transaction.put(Visit(id: "1", at: date), at: visit, updatedAt: date)
        }
        #expect(try cache.rows(Visit.self).map(\.at) == [date])
        let read = try cache.store.read { view in
            try view.value(Visit.self, at: RowKey(resource: "visits/1", type: "visit", key: "1"))
        }
        #expect(read?.at == date)
        #expect(try cache.rows(Note.self, where: "updated_at = \(milliseconds: date)").map(\.id) == ["1"])
        let (text, number) = ("buy bread", 1)
        let values: [SQLValue] = ["\(text)", .integer(Int64(number))]
        #expect(values == [.text("buy bread"), 1])
        try await cache.close()
    }
}
