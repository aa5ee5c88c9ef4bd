import ArgumentParser
import Foundation
import Larder
import LarderURLSession

/// The command line of the dictionary.
@main
struct DictionaryApp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dictionary",
        abstract: "A dictionary that works offline, with notes of one's own.",
        discussion: """
            Start the server of the example first, in another terminal, and download the words once.

            EXAMPLE: dictionary serve
            EXAMPLE: dictionary download
            EXAMPLE: dictionary look river
            """,
        subcommands: [Serve.self, Download.self, Look.self, Search.self, Write.self, Notes.self, Send.self])
}

/// The options of every verb but `serve`.
struct DictionaryOptions: ParsableArguments {
    @Option(help: "The address of the server.")
    var server = "http://127.0.0.1:8095"

    @Option(help: "The directory of what is stored.", completion: .directory)
    var directory = CacheLocation.applicationSupport("larder-dictionary").path

    /// Runs `body` with the dictionary, and closes it.
    func reading(_ body: (DictionaryModel) async throws -> Void) async throws {
        guard let server = BaseURL(server), let content = BaseURL(self.server + "/content") else {
            throw ValidationError("\(self.server) is no plain http address")
        }
        let model = try await DictionaryModel(
            in: .directory(directory), server: server, content: content, services: .system(URLSessionTransport()))
        try await body(model)
        try await model.close()
    }
}

extension DictionaryApp {
    struct Serve: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Serve WordNet and the notes on 127.0.0.1, until SIGINT.",
            discussion: "The words are those of the package wordnet-base. EXAMPLE: dictionary serve --port 9095")

        @Option(help: "The port; 0 for any that is free.")
        var port: UInt16 = 8095

        @Option(help: "The directory of WordNet's files.", completion: .directory)
        var words = "/usr/share/wordnet"

        func run() async throws {
            #if Server
            try await DictionaryServer.run(port: Int(port), words: words)
            #else
            throw ValidationError("Build it with --traits Server.")
            #endif
        }
    }

    struct Download: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Fetch what has changed, for reading without a network.",
            discussion: "It tries for a minute; the next one goes on from there. EXAMPLE: dictionary download")

        @OptionGroup var options: DictionaryOptions

        func run() async throws {
            try await options.reading { model in
                let progress = model.download()
                let printing = Task { for await step in progress { print(step) } }
                let problems = await model.fetch()
                for problem in problems { print("not up to date: \(problem)") }
                if !problems.isEmpty { printing.cancel() }
                await printing.value
            }
        }
    }

    struct Look: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the meanings of a word.", discussion: "EXAMPLE: dictionary look river")

        @Argument(help: "The word.")
        var word: String

        @OptionGroup var options: DictionaryOptions

        func run() async throws {
            try await options.reading { model in
                let found = try model.lookUp(word)
                for word in found { print("\(word.lemma): \(word.meaning)") }
                if !found.isEmpty { return }
                var shown: Set<String> = []
                let near = try model.neighbours(of: word).map(\.lemma).filter { shown.insert($0).inserted }
                if near.isEmpty { return print("No words are stored: run `dictionary download`.") }
                print("near: \(near.joined(separator: ", "))")
            }
        }
    }

    struct Search: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Find words by words of their meanings.", discussion: "EXAMPLE: dictionary search large stream")

        @Argument(help: "The words; the last may be the beginning of one.")
        var words: [String]

        @OptionGroup var options: DictionaryOptions

        func run() async throws {
            try await options.reading { model in
                for hit in try model.search(words.joined(separator: " ")) { print("\(hit.row.lemma): \(hit.snippet)") }
            }
        }
    }

    struct Write: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "note", abstract: "Write a note about a word; it is sent by `send`.",
            discussion: "EXAMPLE: dictionary note river We swam in it.")

        @Argument(help: "The word.")
        var word: String

        @Argument(help: "The text.")
        var text: [String]

        @OptionGroup var options: DictionaryOptions

        func run() async throws {
            try await options.reading { model in
                try await model.write(text.joined(separator: " "), about: word)
                print("stored; \(try model.unsent()) not sent yet")
            }
        }
    }

    struct Notes: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show all notes: ↑ is not sent yet, ✓ is on the server.", discussion: "EXAMPLE: dictionary notes")

        @OptionGroup var options: DictionaryOptions

        func run() async throws {
            try await options.reading { model in
                for shown in try model.notes() {
                    print(shown.isPending ? "↑" : "✓", "\(shown.note.id): \(shown.note.text)")
                }
            }
        }
    }

    struct Send: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send the notes that the server lacks, for half a minute at most.",
            discussion: "EXAMPLE: dictionary send")

        @OptionGroup var options: DictionaryOptions

        func run() async throws {
            try await options.reading { model in print(await model.send()) }
        }
    }
}
