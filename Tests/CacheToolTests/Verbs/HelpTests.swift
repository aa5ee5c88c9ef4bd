// Proves that help texts are those in the Help folder, with an example and exit codes.

import Foundation
import Testing

@Suite struct `Help` {
    static let verbs = [
        "", "inspect", "watch", "stat", "resources", "get", "list", "sql", "search", "responses", "collections",
        "filters",
        "tokens",
        "outbox",
        "outbox list",
        "outbox show", "outbox retry", "outbox drop", "outbox export", "journal", "evict", "pin", "doctor", "verify",
        "dump",
        "load", "salvage",
        "diff",
        "compact",
        "sync", "fetch", "serve-client", "manual",
    ]

    /// Help is reviewed like code: set LARDER_RECORD=1 to write what it says now.
    @Test(arguments: verbs)
    func `matches its stored text`(verb: String) throws {
        let outcome = try Tool.run(Tool.path, verb.split(separator: " ").map(String.init) + ["--help"])
        #expect(outcome.status == 0)
        let name = verb.isEmpty ? "cachetool" : verb.replacingOccurrences(of: " ", with: "-")
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Help/\(name).txt")
        if ProcessInfo.processInfo.environment["LARDER_RECORD"] != nil {
            try Data(outcome.output).write(to: file)
        }
        #expect(outcome.text == String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }

    @Test(arguments: verbs)
    func `gives an example and the exit codes`(verb: String) throws {
        let text = try Tool.run(Tool.path, verb.split(separator: " ").map(String.init) + ["--help"]).text
        #expect(text.contains("EXIT STATUS"))
        #expect(verb.isEmpty || text.contains("EXAMPLE: cachetool \(verb)"))
    }
}
