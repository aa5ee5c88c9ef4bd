// Proves what the article on SwiftUI says: models that follow rows, writes, progress and the session of a cache.

import Larder
import LarderObservation
import LarderOutbox
import LarderServer
import LarderTesting
import Observation
import Synchronization
import Testing

private struct SwiftUICode {
    struct Note: LocalRow, Equatable {
        static let schema = RowSchema("note", in: .resource("notes/1"))
        var id: String, text: String
    }

    struct Verse: CachedRow {
        static let schema = RowSchema("translation", in: .group("translations"), index: "chapter")
        let id: Int, chapter: Int, text: String
    }

    // block begins
    @MainActor
    final class NotesModel {
        let notes: ObservedRows<Note>
        let writes: ObservedWrites
        let session: ObservedSession
        private let cache: ContentCache

        init(_ cache: ContentCache) {
            self.cache = cache
            notes = ObservedRows(cache, Note.self, limit: 200)
            writes = ObservedWrites(cache)
            session = ObservedSession(cache)
        }

        func save(_ note: Note) async throws { try await cache.put(note, to: "/notes/\(note.id)") }

        func mark(of note: Note) -> String { cache.isPending(note) ? "↑" : "✓" }
    }
    // block ends

    // block begins
    @MainActor @Observable
    final class LibraryModel {
        let progress: ObservedProgress
        private(set) var verses: ObservedRows<Verse>
        private let cache: ContentCache

        init(_ cache: ContentCache, chapter: Int) {
            self.cache = cache
            progress = ObservedProgress(cache, keeping: "translations:*")
            verses = ObservedRows(cache, Verse.self, where: "chapter = \(chapter)", order: "key")
        }

        func show(chapter: Int) {  // the old observation ends with its object
            verses = ObservedRows(cache, Verse.self, where: "chapter = \(chapter)", order: "key")
        }
    }
    // block ends
}

@MainActor @Suite(.timeLimit(.minutes(2))) struct `The article on SwiftUI` {
    private let clock = VirtualClock()
    private let network = ScriptedConnectivity()
    private let origin: Origin
    private let transport: ScriptedTransport

    init() {
        origin = Origin(secret: TokenSecret(1, 2), now: { [clock] in clock.wallMilliseconds })
        transport = ScriptedTransport(OriginTransport(origin), clock: clock)
    }

    private func running(_ body: (ContentCache) async throws -> Void) async throws {
        let cache = try await ContentCache.open(
            .temporary(), content: "https://api.example.org/content", writes: "https://api.example.org",
            rows: [SwiftUICode.Note.self, SwiftUICode.Verse.self],
            services: .scripted(transport, clock: clock, connectivity: network))
        try await cache.session.signIn(as: "user-1")
        let running = Task { try await cache.run() }
        try await body(cache)
        running.cancel()
        _ = await running.result
        try await cache.close()
    }

    @Test func `shows a model of notes whose marks follow the server`() async throws {
        network.set(.offline)
        transport.on(.put, "/notes/*").answer(200)
        try await running { cache in
            let model = SwiftUICode.NotesModel(cache)
            try await clock.wait(for: "the first values") {
                model.notes.isLoaded && model.session.status?.account == "user-1"
            }
            let note = SwiftUICode.Note(id: "9", text: "buy bread")
            try await model.save(note)
            try await clock.wait(for: "the note to be shown as waiting") {
                model.notes.rows == [note] && model.writes.status.unsent == 1
            }
            #expect(model.mark(of: note) == "↑" && model.notes.error == nil)
            let isUpdated = Mutex(false)
            withObservationTracking {
                _ = model.notes.rows
            } onChange: {
                isUpdated.withLock { $0 = true }
            }
            network.set(.online)
            // The rows are equal, and a view that shows the marks is updated all the same.
            try await clock.wait(for: "the note to be shown as sent") {
                isUpdated.withLock { $0 } && model.writes.status.unsent == 0
            }
            #expect(model.mark(of: note) == "✓" && model.notes.rows == [note])
        }
    }

    @Test func `shows a model of content that follows the progress and the chapter`() async throws {
        let verses = (1...4).map { id in
            Origin.Row(
                type: "translation", key: "\(id)", #"{"id":\#(id),"chapter":\#(1 + id % 2),"text":"verse \#(id)"}"#)
        }
        _ = try origin.createResource(.init("translations", 10), rows: verses)
        try await running { cache in
            let model = SwiftUICode.LibraryModel(cache, chapter: 1)
            try await clock.wait(for: "the content") {
                model.progress.progress.isReady && model.verses.rows.map(\.id) == [2, 4]
            }
            model.show(chapter: 2)
            try await clock.wait(for: "the other chapter") { model.verses.rows.map(\.id) == [1, 3] }
        }
    }
}
