// Proves that the dictionary's server publishes WordNet's files, and that the command line needs no further arguments.

#if Server
import Foundation
import Larder
import LarderServer
import LarderURLSession
import Testing

@testable import dictionary

@Suite(.timeLimit(.minutes(2))) struct `The server of the dictionary` {
    private let directory: URL

    /// Writes files of the form that wndb(5) describes.
    init() throws {
        directory = URL(filePath: CacheLocation.temporary().path)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let noun = """
              1 This line belongs to the licence.
            09411430 17 n 01 river 0 002 @ 09448361 n 0000 ~ 09189411 n 0000 | a large natural stream of water
            15170504 28 n 02 dawn 0 first_light 0 001 @ 15180528 n 0000 | the first light of day

            """
        for (name, text) in ["noun": noun, "verb": "", "adj": "", "adv": ""] {
            try Data(text.utf8).write(to: directory.appending(path: "data.\(name)"))
        }
    }

    @Test func `reads the files of WordNet`() throws {
        let parts = try #require(try WordList.wordNet(in: directory.path))
        #expect(parts.map(\.words.count) == [3, 0, 0, 0])
        #expect(parts[0].words.map(\.lemma) == ["river", "dawn", "first light"])
        #expect(parts[0].words[2].meaning == "the first light of day")
        try Data("no synonyms\n".utf8).write(to: directory.appending(path: "data.adv"))
        #expect(throws: WordList.Unreadable.self) { try WordList.wordNet(in: directory.path) }
        #expect(try WordList.wordNet(in: directory.appending(path: "none").path) == nil)
    }

    @Test func `has words where WordNet is not installed`() async throws {
        let program = try Program("dictionary", ["serve", "--port", "0", "--words", "/nowhere"])
        let count = try await program.wait(for: /WordNet is not installed .*: there are (\d+) words only\n/)
        #expect(count == "\(WordList.builtIn.count)")
        _ = try await program.wait(for: /is at (http:\S+)\n/)
        #expect(try await program.interrupt() == 0)
    }

    @Test func `publishes words, and stores the notes that clients write`() async throws {
        let program = try Program("dictionary", ["serve", "--port", "0", "--words", directory.path])
        let address = try await program.wait(for: /is at (http:\S+)\n/)
        let directories = [CacheLocation.temporary().path, CacheLocation.temporary().path]
        func run(_ arguments: String..., client: Int = 0) async throws -> String {
            let outcome = try await Program.run(
                "dictionary", arguments + ["--server", address, "--directory", directories[client]])
            #expect(outcome.status == 0)
            return outcome.text
        }
        #expect(try await run("look", "river") == "No words are stored: run `dictionary download`.\n")
        #expect(try await run("download").contains("ready offline"))
        #expect(try await run("download", client: 1).contains("ready offline"))
        #expect(try await run("look", "river") == "river: a large natural stream of water\n")
        #expect(try await run("search", "natural", "str").hasPrefix("river: a large [natural] [stream]"))
        #expect(try await run("note", "first light", "we", "saw", "it") == "stored; 1 not sent yet\n")
        #expect(try await run("notes") == "↑ first light: we saw it\n")
        #expect(try await run("send") == "Everything is sent.\n")
        #expect(try await run("notes") == "✓ first light: we saw it\n")
        // The other client has everything already, and still gets what has changed.
        #expect(try await run("download", client: 1).hasSuffix("ready offline, 5 resources\n"))
        #expect(try await run("notes", client: 1) == "✓ first light: we saw it\n")
        #expect(try await program.interrupt() == 0)
    }
}
#endif
