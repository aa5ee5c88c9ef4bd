// Proves that the observable objects show what is stored at once, notify observers of changes, and end when released.

import Larder
import LarderObservation
import LarderServer
import LarderTesting
import Observation
import Testing

@MainActor @Suite(.timeLimit(.minutes(2))) struct `An observable object` {
    /// Waits until `isSo` holds; each check is made after a change of what it read.
    private func observe(_ isSo: () -> Bool) async {
        while true {
            let (changes, changed) = AsyncStream<Void>.makeStream()
            let holds = withObservationTracking {
                isSo()
            } onChange: {
                changed.yield()
            }
            if holds { return }
            for await _ in changes { break }
        }
    }

    @Test func `shows rows at once, and every change of them`() async throws {
        let world = World()
        world.network.set(.offline)
        let cache = try await world.open()
        try await cache.put(Note(id: "1", text: "buy bread"), to: "/notes/1")
        let notes = ObservedRows(cache, Note.self)
        let found = ObservedRows(cache, Note.self, where: "key = \("2")")
        #expect(notes.rows.map(\.id) == ["1"] && notes.isLoaded && notes.error == nil)
        #expect(found.rows.isEmpty && found.isLoaded)
        try await cache.put(Note(id: "2", text: "buy milk"), to: "/notes/2")
        await observe { notes.rows.count == 2 && found.rows.count == 1 }
        #expect(found.rows.map(\.text) == ["buy milk"])
        try await cache.close()
    }

    @Test func `reports rows that do not decode`() async throws {
        struct Strict: CachedRow {
            static let schema = RowSchema("note", in: .resource("notes/1"))
            let id: String, author: String
        }
        let world = World()
        world.network.set(.offline)
        let cache = try await world.open()
        let empty = ObservedRows(cache, Strict.self)
        #expect(empty.isLoaded && empty.error == nil)
        try await cache.put(Note(id: "1", text: "buy bread"), to: "/notes/1")
        let notes = ObservedRows(cache, Strict.self)
        #expect(notes.rows.isEmpty && !notes.isLoaded && notes.error is RowError)
        await observe { empty.error is RowError }
        // The next value that decodes is shown.
        try await cache.delete(Note(id: "1", text: "buy bread"), from: "/notes/1")
        await observe { empty.error == nil && notes.error == nil && notes.isLoaded }
        try await cache.close()
    }

    @Test func `shows progress until content is ready, and tries again on request`() async throws {
        let world = World()
        try world.publish(10)
        world.transport.plan(.status(.forbidden), times: 1) { $0.path?.contains("/sync?") == true }
        let cache = try await world.open()
        let verses = ObservedProgress(cache, keeping: "translations:10")
        try await world.running(cache) {
            await observe { !verses.isUnderWay }
            #expect(verses.progress.problem != nil && !verses.progress.isReady)
            verses.tryAgain()
            #expect(verses.isUnderWay)
            await observe { !verses.isUnderWay }
            #expect(verses.progress.isReady && verses.progress.fraction == 1)
        }
    }

    @Test func `shows the writes that the server lacks, and the account`() async throws {
        let world = World()
        world.transport.on(.put, "/notes/*").answer(200)
        let cache = try await world.open(options: CacheOptions())
        let writes = ObservedWrites(cache)
        let session = ObservedSession(cache)
        await observe { session.status?.account == nil && session.status != nil }
        try await world.running(cache) {
            try await cache.session.signIn(as: "user-1")
            await observe { session.status?.account == "user-1" }
            let sent = try await cache.put(Note(id: "1", text: "buy bread"), to: "/notes/1")
            #expect(try await sent.outcome == .accepted)
            await observe { writes.status.unsent == 0 && writes.status.isRunning }
        }
    }

    @Test func `is released by the task that follows the cache`() async throws {
        let world = World()
        world.network.set(.offline)
        let cache = try await world.open()
        weak var rows: ObservedRows<Note>?
        weak var progress: ObservedProgress?
        do {
            let held = (ObservedRows(cache, Note.self), ObservedProgress(cache, keeping: "translations:10"))
            (rows, progress) = held
            await Task.yield()
        }
        #expect(rows == nil && progress == nil)
        try await cache.close()
    }
}
