#if Server
import Foundation
import HTTPTypes
import Hummingbird
import LarderServer
import Logging
import NIOCore

/// The server of the example: words to sync, and notes that are written with PUT. All of it is in memory.
enum DictionaryServer {
    private static let notes = Origin.ResourceID("notes", 1)

    /// Serves until the process receives SIGINT or SIGTERM.
    static func run(port: Int, words directory: String) async throws {
        let origin = try origin(of: directory)
        var logger = Logger(label: "dictionary")
        logger.logLevel = .warning
        let application = Application(
            router: router(origin),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in
                report("the dictionary is at http://127.0.0.1:\(channel.localAddress?.port ?? port)")
            }, logger: logger)
        try await application.runService()
    }

    /// Returns the content: WordNet, or a few words where it is not installed.
    private static func origin(of directory: String) throws -> Origin {
        if let parts = try WordList.wordNet(in: directory) {
            report("WordNet has \(parts.reduce(0) { $0 + $1.words.count }) words")
            return try origin(of: parts)
        }
        report(
            "WordNet is not installed (apt-get install wordnet-base): there are \(WordList.builtIn.count) words only")
        return try origin(of: [WordList.Part(id: 1, words: WordList.builtIn)])
    }

    /// Returns an origin of these words, and of no notes.
    static func origin(of parts: [WordList.Part]) throws -> Origin {
        // The history begins anew with each start, so tokens of an earlier one must not be valid.
        var generator = SystemRandomNumberGenerator()
        let origin = Origin(
            secret: TokenSecret(using: &generator), now: { Int64(Date().timeIntervalSince1970 * 1000) })
        let encoder = JSONEncoder()
        for part in parts {
            let rows = try part.words.map { word in
                Origin.Row(.init("word", "\(word.id)"), body: [UInt8](try encoder.encode(word)))
            }
            _ = try origin.createResource(.init("words", part.id), rows: rows)
        }
        _ = try origin.createResource(notes)
        return origin
    }

    /// Returns the routes: the content for syncs, and PUT for notes.
    static func router(_ origin: Origin) -> Router<BasicRequestContext> {
        let router = Router()
        router.add(middleware: ContentSyncMiddleware(origin))
        router.put("/notes/:word") { request, context in
            let body = [UInt8](buffer: try await request.body.collect(upTo: 65_536))
            let note = try JSONDecoder().decode(Note.self, from: Data(body))
            let sequence = try origin.putRow(Origin.Row(.init("note", note.id), body: body), in: notes)
            // The client shows its own version of the note until a sync has reached this change.
            return Response(status: .ok, headers: [.syncSequence: String(sequence ?? origin.sequence)])
        }
        return router
    }

    /// Writes a line at once; `print` would hold it back where the output is a file.
    private static func report(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
#endif
