import ArgumentParser
import Larder
import LarderFormat
import LarderStore

/// Looks into the outbox, and clears what is stuck in it.
struct OutboxVerbs: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox",
        abstract: "Look into the outbox, and clear what is stuck in it.",
        discussion: """
            EXAMPLE: cachetool outbox list /data/store --failed

            \(ExitStatus.help)
            """,
        subcommands: [OutboxList.self, OutboxShow.self, OutboxRetry.self, OutboxDrop.self, OutboxExport.self])
}

/// Entries on a command line.
struct EntryArguments: ParsableArguments {
    @Argument(help: "The identities of the entries, as list prints them.")
    var entries: [UUIDBytes] = []
}

extension UUIDBytes: @retroactive ExpressibleByArgument {
    /// The form 8-4-4-4-12 in hexadecimal digits.
    public init?(argument: String) { self.init(argument) }
}

extension StoreArgument {
    /// Runs `body` in one durable write to the store, beside whoever has it open.
    func write<Result>(_ body: (inout Transaction) throws -> Result) throws -> Result {
        try Self.check(store)
        let opened = try Store.open(at: store, host: .system(logger: .tool))
        defer { try? opened.close() }
        return try opened.writeBlocking(durability: .full, body)
    }
}

extension ToolError {
    /// The outbox has no such entry.
    static func noEntry(_ id: UUIDBytes) -> ToolError { .notThere("The outbox has no entry \(id).") }
}
