// LocalServer: proves that the server of the article on LarderServer receives the write of an app and syncs it back.

#if Server && AsyncHTTPClient
import Foundation
import Hummingbird
import Larder
import LarderAsyncHTTPClient
import LarderServer
import Testing

@Suite(.timeLimit(.minutes(2))) struct `The server to develop against` {
    private typealias Note = GettingStarted.Note

    @Test func `publishes what its own route has stored`() async throws {
        try await serve { content, api in
            let location = CacheLocation.temporary()
            defer { try? FileManager.default.removeItem(atPath: location.path) }
            var options = CacheOptions()
            options.hasAccounts = false
            let words = try await ContentCache.open(
                location, content: content, writes: api, rows: [Note.self],
                services: .system(AsyncHTTPClientTransport()), options: options)
            try await words.running {
                for await _ in words.keep("notes:1") {}
                let sent = try await words.put(Note(id: "9", text: "buy bread"), to: "/notes/9")
                #expect(try await sent.outcome == .accepted)
                for try await notes in words.observe(Note.self) where notes.contains(where: { !words.isPending($0) }) {
                    #expect(notes == [Note(id: "9", text: "buy bread")])
                    break
                }
            }
        }
    }

    private func serve(_ body: (_ content: BaseURL, _ api: BaseURL) async throws -> Void) async throws {
        var generator = SystemRandomNumberGenerator()
        let secret = TokenSecret(using: &generator)
        // block begins
        let notes = Origin.ResourceID("notes", 1)
        let origin = Origin(secret: secret, now: { Int64(Date().timeIntervalSince1970 * 1000) })
        try origin.createResource(notes)
        let router = Router()
        router.add(middleware: ContentSyncMiddleware(origin))
        router.put("notes/:id") { request, context in
            let id = try context.parameters.require("id")
            let body = try await request.body.collect(upTo: 65_536)
            _ = try origin.putRow(Origin.Row(.init("note", id), body: Array(buffer: body)), in: notes)
            return Response(status: .ok)
        }
        try await router.serve { address in  // such as http://127.0.0.1:40123
            guard let api = BaseURL(address), let content = BaseURL("\(address)/content") else { return }
            try await body(content, api)
        }
        // block ends
    }
}
#endif
