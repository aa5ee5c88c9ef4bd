// GettingStarted: proves that the cache of the article opens, becomes readable offline, is read, and sends a write.

import Larder
import LarderStore
import LarderSync
import LarderTesting
import Testing

struct GettingStarted {
    // block begins
    struct Verse: CachedRow {
        static let schema = RowSchema("translation", in: .group("translations"), index: "verse_key", search: "text")
        let id: Int, verse_key: String, text: String
    }

    struct Note: LocalRow {  // a row that the app may write
        static let schema = RowSchema("note", in: .resource("notes/1"))
        var id: String, text: String
    }
    // block ends

    // block begins
    func openWords(in location: CacheLocation, services: CacheServices) async throws -> ContentCache {
        try await ContentCache.open(
            location, content: "https://api.example.org/content", writes: "https://api.example.org",
            rows: [Verse.self, Note.self], services: services)
    }
    // block ends

    // block begins
    func openShipped(in location: CacheLocation, seed: String, services: CacheServices) async throws -> ContentCache {
        var options = CacheOptions()
        options.seed = seed  // a directory in the app's bundle, as `Store.publish(to:)` has filled it
        return try await ContentCache.open(
            location, content: "https://api.example.org/content", rows: [Verse.self, Note.self], services: services,
            options: options)
    }
    // block ends
}

extension GettingStarted.Verse: Equatable {}

extension GettingStarted.Note: Equatable {}

@Suite(.timeLimit(.minutes(2))) struct `The first cache` {
    private typealias Verse = GettingStarted.Verse
    private typealias Note = GettingStarted.Note

    /// Runs `body` with a cache that was opened, signed in and filled by the code of the article.
    private func filled(_ body: (ContentCache, ArticleServer) async throws -> Void) async throws {
        let server = try ArticleServer()
        server.transport.on(.put, "/notes/*").answer(200)
        let words = try await GettingStarted().openWords(in: server.location, services: server.services)
        // block begins
        try await words.session.signIn(as: "user-1")
        let running = Task { try await words.run() }  // syncs, and sends writes
        // block ends
        // block begins
        for await progress in words.keep("translations:*;notes:1") {
            print(progress.fraction ?? 0, progress.problem ?? progress.description)
        }
        // block ends
        try await body(words, server)
        // block begins
        running.cancel()
        _ = await running.result
        try await words.close()
        // block ends
    }

    @Test func `signs in, and is ready offline when the progress ends`() async throws {
        try await filled { words, _ in
            #expect(await words.session.account == "user-1")
            let status = try #require(words.content?.status.filters.first)
            #expect(status.filter == "notes:1;translations:*" && status.readiness?.isComplete == true)
        }
    }

    @Test func `is read and searched without a network`() async throws {
        try await filled { words, server in
            server.network.set(.offline)
            let requests = server.transport.lines.count
            // block begins
            let verse = try words.row(Verse.self, 1005, in: "translations/10")
            let page = try words.rows(Verse.self, in: "translations/10", keys: .numbers(1000..<1004))
            let (from, to) = ("26:152", "26:155")
            let chapter = try words.rows(
                Verse.self, where: "verse_key >= \(from) AND verse_key < \(to)", order: "verse_key")
            let hits = try words.search(Verse.self, "river daw")
            // block ends
            #expect(verse == Verse(id: 1005, verse_key: "26:155", text: "river dawn"))
            #expect(page.map(\.id) == [1000, 1001, 1002, 1003])
            #expect(chapter.map(\.verse_key) == ["26:152", "26:153", "26:154"])
            #expect(hits.count == 10 && hits.first?.snippet == "[river] [dawn]")
            #expect(server.transport.lines.count == requests)
        }
    }

    @Test func `begins with the content that the app ships with, and fetches only what is new`() async throws {
        try await filled { words, server in
            let seed = CacheLocation.temporary().path
            try words.store.publish(to: seed)
            server.network.set(.offline)
            let shipped = try await GettingStarted().openShipped(
                in: .temporary(), seed: seed, services: server.services)
            #expect(try shipped.row(Verse.self, 1005, in: "translations/10")?.text == "river dawn")
            #expect(try shipped.search(Verse.self, "river daw").count == 10)
            #expect(await shipped.session.account == nil)

            server.network.set(.online)
            try await shipped.session.signIn(as: "user-2")
            let requests = server.transport.lines.count
            shipped.content?.add("translations:*;notes:1")
            let runs = await shipped.content?.runOnce(within: .seconds(25))
            #expect(runs?.values.allSatisfy { (try? $0.get()) != nil } == true && runs?.count == 1)
            let lines = server.transport.lines.dropFirst(requests)
            #expect(!lines.isEmpty && !lines.contains { $0.contains("snapshots") }, "\(lines)")
            try await shipped.close()
        }
    }

    @Test func `shows a write at once and sends it`() async throws {
        try await filled { words, server in
            // block begins
            let sent = try await words.put(Note(id: "9", text: "buy bread"), to: "/notes/9")
            for try await notes in words.observe(Note.self) {  // now, and after every change
                for note in notes { print(note.text, words.isPending(note) ? "waits" : "sent") }
                if !notes.contains(where: { words.isPending($0) }) { break }
            }
            print(try await sent.outcome)  // accepted
            // block ends
            #expect(try await sent.outcome == .accepted)
            #expect(try words.rows(Note.self) == [Note(id: "9", text: "buy bread")])
            #expect(server.bodies(.put) == [#"{"id":"9","text":"buy bread"}"#])
        }
    }
}
