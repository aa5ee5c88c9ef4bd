import ArgumentParser
import Larder
import LarderEngine
import LarderFormat
import LarderStore

/// Inspects the outbox, and clears entries that are stuck in it.
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
    var entries: [EntryArgument] = []

    var ids: [UUIDBytes] { entries.map(\.id) }
}

/// The identity of an entry on a command line.
struct EntryArgument: ExpressibleByArgument {
    let id: UUIDBytes

    /// Parses the form 8-4-4-4-12 in hexadecimal digits.
    init?(argument: String) {
        guard let id = UUIDBytes(argument) else { return nil }
        self.id = id
    }
}

extension StoreArgument {
    /// Opens the store at `path` for writing, which other processes may have open.
    static func openForChanges(_ path: String) throws -> Store {
        try check(path)
        return try open(path, StoreOptions(), .system(logger: .tool))
    }

    /// Runs `body` in one durable write to the store, which other processes may have open.
    func write<Result>(_ body: (inout Transaction) throws -> Result) throws -> Result {
        let opened = try Self.openForChanges(store)
        defer { try? opened.close() }
        return try opened.writeBlocking(durability: .full, body)
    }

    /// Runs `body` with the store opened for writing, which other processes may have open.
    func writing<Result>(_ body: (Store) async throws -> Result) async throws -> Result {
        let opened = try Self.openForChanges(store)
        defer { try? opened.close() }
        return try await body(opened)
    }
}

extension ToolError {
    /// Returns the error for a missing outbox entry.
    static func noEntry(_ id: UUIDBytes) -> ToolError { .notFound("The outbox has no entry \(id).") }
}
