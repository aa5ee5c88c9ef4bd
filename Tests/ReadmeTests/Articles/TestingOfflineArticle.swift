// TestingOfflineArticle: proves that the tests of the article pass; the name TestingOffline is that of the README's example.

import Larder
import LarderServer
import LarderTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct `The tests of an app` {
    private typealias Verse = GettingStarted.Verse
    private typealias Note = GettingStarted.Note

    private func openWords(in location: CacheLocation, services: CacheServices) async throws -> ContentCache {
        try await GettingStarted().openWords(in: location, services: services)
    }

    // block begins
    @Test func `verses are read without a network`() async throws {
        let clock = VirtualClock()  // advances only when the test says so
        let network = ScriptedConnectivity()
        let origin = Origin(secret: TokenSecret(1, 2), now: { clock.wallMilliseconds })
        try origin.createResource(
            .init("translations", 10),
            rows: [.init(type: "translation", key: "1", #"{"id":1,"verse_key":"26:1","text":"river"}"#)])
        let words = try await openWords(
            in: .temporary(), services: .scripted(OriginTransport(origin), clock: clock, connectivity: network))
        try await words.session.signIn(as: "user-1")
        let running = Task { try await words.run() }
        for await _ in words.keep("translations:10") {}

        network.set(.offline)
        #expect(try words.row(Verse.self, 1, in: "translations/10")?.text == "river")

        running.cancel()
        _ = await running.result
        try await words.close()
    }
    // block ends

    // block begins
    @Test func `a note is sent when the network returns and the server accepts it`() async throws {
        let clock = VirtualClock()
        let network = ScriptedConnectivity(.offline)
        let transport = ScriptedTransport(clock: clock)
        transport.on(.put, "/notes/*").answer(503).then(200)
        let words = try await openWords(
            in: .temporary(), services: .scripted(transport, clock: clock, connectivity: network))
        try await words.session.signIn(as: "user-1")
        let running = Task { try await words.run() }

        let note = Note(id: "9", text: "buy bread")
        try await words.put(note, to: "/notes/9")
        #expect(words.isPending(note) && transport.lines.isEmpty)
        network.set(.online)
        try await clock.wait(for: "the note to be sent") { !words.isPending(note) }
        #expect(transport.lines == ["PUT /notes/9", "PUT /notes/9"])

        running.cancel()
        _ = await running.result
        try await words.close()
    }
    // block ends

    @Test func `a download that breaks off begins again, and shows nothing before it is whole`() async throws {
        let server = try ArticleServer()
        let (clock, transport) = (server.clock, server.transport)
        let words = try await server.open()
        try await server.running(words) {
            // block begins
            transport.plan(.cut(after: 100)) { $0.path?.contains("/snapshots/translations/") == true }
            let keeping = Task { for await _ in words.keep("translations:10") {} }
            try await clock.wait(for: "the verses") {
                let count = try words.rows(Verse.self, in: "translations/10").count
                #expect(count == 0 || count == 10)  // a part is never shown
                return count == 10
            }
            await keeping.value
            #expect(transport.lines.count { $0.contains("/snapshots/translations/10") } == 2)
            // block ends
        }
    }
}
