// Overview: proves that the code of the module's first page runs, and leaves content and an accepted write in the store.

import Larder
import LarderTesting
import Testing

struct Overview {
    // block begins
    struct Verse: CachedRow {
        static let schema = RowSchema("translation", in: .group("translations"), index: "verse_key", search: "text")
        let id: Int, verse_key: String, text: String
    }

    struct Note: LocalRow {
        static let schema = RowSchema("note", in: .resource("notes/1"))
        var id: String, text: String
    }

    func readAndWrite(in location: CacheLocation, services: CacheServices) async throws {
        let words = try await ContentCache.open(
            location, content: "https://api.example.org/content", writes: "https://api.example.org",
            rows: [Verse.self, Note.self], services: services)
        try await words.session.signIn(as: "user-1")
        let running = Task { try await words.run() }  // syncs, and sends writes

        for await progress in words.keep("translations:*") { print(progress) }  // ends when readable offline
        let verse = try words.row(Verse.self, 1005, in: "translations/10")  // never waits for the network
        for hit in try words.search(Verse.self, "river daw") { print(hit.row.verse_key, hit.snippet) }

        let note = Note(id: "9", text: verse?.text ?? "buy bread")
        let sent = try await words.put(note, to: "/notes/9")  // durable, and shown at once
        print(try await sent.outcome)  // waits for the server: accepted
        running.cancel()
        _ = await running.result
        try await words.close()
    }
    // block ends
}

@Suite(.timeLimit(.minutes(2))) struct `The first page` {
    @Test func `shows code that runs`() async throws {
        let server = try ArticleServer()
        server.transport.on(.put, "/notes/*").answer(200)
        try await Overview().readAndWrite(in: server.location, services: server.services)
        #expect(server.bodies(.put) == [#"{"id":"9","text":"river dawn"}"#])
        let words = try await server.open(hasAccounts: true)
        #expect(try words.rows(GettingStarted.Verse.self, in: "translations/10").count == 10)
        #expect(try words.rows(GettingStarted.Note.self).map(\.text) == ["river dawn"])
        try await server.close(words)
    }
}
