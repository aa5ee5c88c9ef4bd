import ArgumentParser
import Foundation
import Larder
import LarderURLSession

/// The command line of the news reader.
@main
struct NewsReaderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "news-reader",
        abstract: "Reads news in a terminal, also without a network.",
        discussion: """
            Without a verb it shows the front page. Start the server of the example first, in another terminal.

            EXAMPLE: news-reader serve
            EXAMPLE: news-reader
            """,
        subcommands: [List.self, Read.self, Download.self, Forget.self, Serve.self], defaultSubcommand: List.self)
}

/// The options of every verb that reads.
struct ReaderOptions: ParsableArguments {
    @Option(help: "The address of the server.")
    var server = NewsReader.defaultServer

    @Option(help: "The directory of what is stored.", completion: .directory)
    var directory = CacheLocation.applicationSupport("larder-news-reader").path

    @Flag(help: "Send nothing, as where there is no network.")
    var offline = false

    /// Runs `body` with a reader, and ends the program with a line for the user where there is no answer.
    func reading(_ body: (NewsReader) async throws -> Void) async throws {
        guard let address = BaseURL(server) else { throw ValidationError("\(server) is no plain http address") }
        let transport: any Transport = offline ? NoNetwork() : URLSessionTransport()
        let reader = try await NewsReader(
            in: .directory(directory), server: address, services: .system(transport))
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body(reader))
        } catch let error as HTTPCacheError {
            print("not stored, and not received: \(error)")
            outcome = .failure(ExitCode.failure)
        }
        try await reader.close()
        try outcome.get()
    }
}

extension NewsReaderCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the front page, and what of it can be read offline.",
            discussion: "EXAMPLE: news-reader list --offline")

        @OptionGroup var options: ReaderOptions

        func run() async throws {
            try await options.reading { reader in
                let page = try await reader.frontPage()
                print("[\(page.explanation)]")
                for headline in page.value {
                    let age = await reader.storedAge(of: headline)
                    print(headline.number, headline.title, age.map { "(stored, \($0))" } ?? "(not stored)")
                }
            }
        }
    }

    struct Read: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show an article.", discussion: "EXAMPLE: news-reader read 2")

        @Argument(help: "The number of the article on the front page.")
        var number: Int

        @OptionGroup var options: ReaderOptions

        func run() async throws {
            try await options.reading { reader in
                let article = try await reader.article(number)
                print(article.value.title, article.value.text, separator: "\n\n")
                print("\n[\(article.explanation)]")
                let image = try await reader.image(number)
                print("[the image of \(image.value.count) bytes: \(image.explanation)]")
            }
        }
    }

    struct Download: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Store all articles and images for reading offline.",
            discussion: "They stay until `forget` removes them. EXAMPLE: news-reader download")

        @OptionGroup var options: ReaderOptions

        func run() async throws {
            try await options.reading { reader in
                let result = try await reader.download()
                for (path, error) in result.failures { print("\(path): \(error)") }
                print("\(result.received) received, \(result.fresh) stored already, \(result.failures.count) failed")
            }
        }
    }

    struct Forget: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove all stored articles and images.", discussion: "EXAMPLE: news-reader forget")

        @OptionGroup var options: ReaderOptions

        func run() async throws {
            try await options.reading { reader in print(try await reader.forget(), "responses removed") }
        }
    }

    struct Serve: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Serve the news of the example on 127.0.0.1, until SIGINT.",
            discussion: "EXAMPLE: news-reader serve --port 8091")

        @Option(help: "The port; 0 for any that is free.")
        var port: UInt16 = 8090

        func run() async throws {
            #if Server
            try await NewsServer.run(port: Int(port))
            #else
            throw ValidationError("Build it with --traits Server.")
            #endif
        }
    }
}
