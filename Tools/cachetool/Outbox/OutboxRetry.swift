import ArgumentParser
import Larder
import LarderFormat
import LarderStore

/// Makes dead letters be sent again.
struct OutboxRetry: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Have writes sent again that could not be.",
        discussion: """
            Writes. A failed entry is pending again, under its own key and with all its attempts. In the place of a \
            rejected one comes a successor with a key of its own, because the server has answered the old one; its \
            effect on rows is shown again, unless it was longer than a mebibyte or its account is not signed in. All of \
            them, or none.

            A program that has the store open sees it at once.

            JSON: {entry, successor} for each; successor is null for a failed one.

            EXAMPLE: cachetool outbox retry /data/store 7d9c1a52-3e64-4f0b-9a8d-1c2b3a495867

            \(ExitStatus.help)
            """)

    @OptionGroup var store: StoreArgument
    @OptionGroup var named: EntryArguments
    @Flag(help: "All that have failed. Rejected ones have to be named.")
    var allFailed = false
    @OptionGroup var printing: OutputOptions

    func validate() throws {
        if allFailed == !named.entries.isEmpty {
            throw ValidationError("Name the entries, or add --all-failed.")
        }
    }

    func run() throws {
        let host = HostServices.system(logger: .tool)
        let retried = try store.write { transaction in
            let entries = try entries(&transaction)
            return try entries.map { entry in
                // An earlier successor may have replaced an identity in the entry's `after` list.
                let current = try allFailed ? entry : transaction.outboxEntry(entry.id) ?? entry
                return (entry.id, try Self.retry(current, host, &transaction))
            }
        }
        for (id, successor) in retried {
            if printing.json {
                try Terminal.print(
                    ["entry": .string(id.description), "successor": .optional(successor?.description)] as JSON)
            } else {
                try Terminal.print(columns: ["\(id)", successor.map { "superseded by \($0)" } ?? "pending"])
            }
        }
    }

    private func entries(_ transaction: inout Transaction) throws -> [OutboxEntry] {
        if allFailed { return try transaction.readableOutboxHeads().filter { $0.delivery.state == .failed } }
        return try named.ids.map { id in
            guard let entry = try transaction.outboxEntry(id) else { throw ToolError.noEntry(id) }
            return entry
        }
    }

    /// Retries one entry.
    ///
    /// - Returns: The successor of a rejected entry.
    /// - Throws: ``ToolError/notFound(_:)`` when the entry is neither failed nor rejected; the store's errors.
    static func retry(
        _ entry: OutboxEntry, _ host: HostServices, _ transaction: inout Transaction
    ) throws -> UUIDBytes? {
        switch entry.delivery.state {
        case .failed:
            var delivery = entry.delivery
            delivery.state = .pending
            (delivery.attempts, delivery.failures, delivery.dueAt) = (0, 0, nil)
            _ = try transaction.updateDelivery(of: entry.id, from: entry.delivery, to: delivery)
            return nil
        case .rejected:
            var draft = entry.draft
            draft.id = host.makeID()
            draft.createdAt = host.now()
            return try transaction.replaceEntry(
                entry.id, with: draft, effects: try isShown(entry, transaction) ? nil : [], outcome: "superseded",
                at: host.now()
            ).id
        case .pending, .sending, .waiting, .unresolved, .conflicted:
            throw ToolError.notFound(
                "The entry \(entry.id) is \(entry.delivery.state), so there is nothing to retry.")
        }
    }

    /// Returns whether readers may see the effect of an entry: only while its account is the signed-in one.
    private static func isShown(_ entry: OutboxEntry, _ transaction: borrowing Transaction) throws -> Bool {
        guard let account = entry.draft.account, let session = try transaction.session() else { return true }
        return AuthenticationState(session).allows(account)
    }
}
