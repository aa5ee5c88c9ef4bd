import ArgumentParser
import Larder
import LarderFormat
import LarderOutbox
import LarderStore

/// Drops writes.
struct OutboxDrop: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop",
        abstract: "Give writes up: they are not sent any more.",
        discussion: """
            Writes, if --yes is given; otherwise it says what it would do. Their effect on rows is undone, and \
            the journal records that they were dropped. What came after one of them becomes a dead letter, as rejected. \
            One that is being sent is not dropped. Export before: what is dropped is gone. \
            One that is damaged can be dropped, too; it holds nothing back.

            A program that has the store open sees it at once.

            JSON: {entry, outcome} for each; outcome is dropped, or rejected for what came after.

            EXAMPLE: cachetool outbox drop /data/store 7d9c1a52-3e64-4f0b-9a8d-1c2b3a495867 --yes

            \(ExitStatus.help)
            """)

    @OptionGroup var store: StoreArgument
    @OptionGroup var named: EntryArguments
    @Flag(help: "Do it.")
    var yes = false
    @OptionGroup var printing: OutputOptions

    func validate() throws {
        if named.entries.isEmpty { throw ValidationError("Name the entries.") }
    }

    func run() throws {
        if !yes {
            let planned = try store.read { view in
                var plan = try Self.plan(
                    named.ids, try view.readableOutboxHeads().entries, try view.damagedOutboxEntries())
                plan.load { try view.outboxEntry($0) }
                return plan
            }
            try show(planned, prefix: "would be ")
            Terminal.printMessage("Nothing was dropped: add --yes to drop.")
            throw ExitStatus.usage.code
        }
        let now = HostServices.system(logger: .tool).now()
        try show(try store.write { transaction in try Self.drop(named.ids, in: &transaction, at: now) })
    }

    /// Drops writes, and rejects what came after them.
    ///
    /// - Throws: ``ToolError/notFound(_:)`` where one is being sent, or is none of the outbox; the store's errors.
    static func drop(_ ids: [UUIDBytes], in transaction: inout Transaction, at now: Int64) throws -> Plan {
        var plan = try plan(ids, try transaction.readableOutboxHeads(), try transaction.damagedOutboxEntries())
        plan.load { try transaction.outboxEntry($0) }
        // The rest of a batch would be a different request under the batch's key.
        let removed = plan.dropped + plan.dependents.map(\.entry)
        for batch in Set(removed.compactMap(\.delivery.batch)) { try transaction.dissolveBatch(batch) }
        for entry in plan.dropped { try transaction.removeEntry(entry.id, outcome: "dropped", at: now) }
        for id in plan.damaged { try transaction.removeDamagedEntry(id, outcome: "dropped", at: now) }
        for (entry, cause) in plan.dependents {
            let reason = RejectionReason.after(cause).description
            var delivery = try transaction.outboxHead(entry.id)?.delivery ?? entry.delivery
            delivery.lastError = reason
            try transaction.rejectEntry(entry.id, delivery, detail: reason, at: now)
        }
        return plan
    }

    /// The entries that a call drops and rejects.
    struct Plan {
        var dropped: [OutboxEntry] = []
        /// The identities of entries that cannot be read.
        var damaged: [UUIDBytes] = []
        /// The entries that follow one of them, directly or indirectly, each with the entry it follows.
        var dependents: [(entry: OutboxEntry, cause: UUIDBytes)] = []

        /// Reads the contents of the entries, where they are readable.
        mutating func load(_ read: (UUIDBytes) throws -> OutboxEntry?) {
            dropped = dropped.map { (try? read($0.id)) ?? $0 }
            dependents = dependents.map { ((try? read($0.entry.id)) ?? $0.entry, $0.cause) }
        }
    }

    private static func plan(_ ids: [UUIDBytes], _ entries: [OutboxEntry], _ damaged: [UUIDBytes]) throws -> Plan {
        var plan = Plan()
        plan.damaged = damaged.filter(ids.contains)
        for id in ids where !plan.damaged.contains(id) && !plan.dropped.contains(where: { $0.id == id }) {
            guard let entry = entries.first(where: { $0.id == id }) else { throw ToolError.noEntry(id) }
            plan.dropped.append(entry)
        }
        var removed = plan.dropped.map(\.id)
        var next = 0
        while next < removed.count {
            let cause = removed[next]
            for entry in entries where entry.draft.after.contains(cause) && !removed.contains(entry.id) {
                removed.append(entry.id)
                if entry.delivery.state != .rejected { plan.dependents.append((entry, cause)) }
            }
            next += 1
        }
        if let busy = (plan.dropped + plan.dependents.map(\.entry)).first(where: { $0.delivery.state == .sending }) {
            throw ToolError.notFound("The entry \(busy.id) is being sent: nothing was dropped.")
        }
        return plan
    }

    private func show(_ plan: Plan, prefix: String = "") throws {
        let lines =
            (plan.dropped.map(\.id)
            + plan.damaged).map { ($0, prefix + "dropped") }
            + plan.dependents.map { ($0.entry.id, prefix + "rejected") }
        for (id, outcome) in lines {
            if printing.json {
                try Terminal.print(["entry": .string(id.description), "outcome": .string(outcome)] as JSON)
            } else {
                try Terminal.print(columns: ["\(id)", outcome])
            }
        }
    }
}
