import ArgumentParser
import Foundation

/// Runs the main use of the library from end to end on real content.
@main
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "larder-demo",
        abstract: "Syncs WordNet and the ISO code tables from a server on this machine, and shows what a store can do.",
        subcommands: [Show.self, Interrupt.self],
        defaultSubcommand: Show.self)
}

/// The demo itself.
struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Run every step and end with a table of what happened.")

    @Option(help: "Directory for the store; removed first.")
    var store = FileManager.default.temporaryDirectory.appending(path: "larder-demo").path

    @Option(help: "The cachetool binary to look inside with.")
    var cachetool = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "cachetool").path

    func run() async throws {
        #if Server
        try await Walkthrough(storePath: store, cachetool: cachetool).run()
        #else
        throw ValidationError("Build the demo with --traits Server.")
        #endif
    }
}

/// The part of the demo that is killed: begins a replacement and ends its own process in the middle.
struct Interrupt: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "interrupt", abstract: "Begin a sync and end this very process while rows are being written.",
        shouldDisplay: false)

    @Argument(help: "Directory of the store.")
    var store: String

    @Argument(help: "Base URL of the server.")
    var server: String

    @Argument(help: "The filter to sync.")
    var filter: String

    func run() async throws {
        #if Server
        try await Interruption(storePath: store, server: server, filter: filter).run()
        #else
        throw ValidationError("Build the demo with --traits Server.")
        #endif
    }
}
