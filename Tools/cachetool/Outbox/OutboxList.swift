import ArgumentParser
import LarderFormat
import LarderStore

/// Lists the writes that are not accepted yet.
struct OutboxList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the writes that wait to be sent, and those that could not be.",
        discussion: """
            Prints, parted by tabs: lane, sequence, entry, when it was enqueued, kind, method, endpoint, size of the \
            body in bytes, state, tries, when the next is due, last error, and why it is not accepted yet and what makes \
            it go on, in one sentence. Each lane in the order it is sent.

            The state is pending, sending, waiting (for its next try), failed (its attempts are used up), unresolved \
            (it is unknown whether the server has it), conflicted, or rejected (by the server).

            JSON: {lane, sequence, entry, createdAt, mutationType, method, endpoint, state, tries, attempts, inDoubt, \
            dueAt, lastStatus, lastError, size, why, payload} for each, with base64 in place of payload when it is not \
            UTF-8. Times are in milliseconds since 1970-01-01 UTC.

            With --redact, the kinds of writes, their states and outcomes are printed as they are: the app and the store \
            give these names, and they hold no content.

            EXAMPLE: cachetool outbox list /data/store --lane notes

            \(ExitStatus.help)
            """)

    @OptionGroup var store: StoreArgument
    @Option(help: "Only this lane.")
    var lane: String?
    @Flag(help: "Only dead letters: those that failed or were rejected.")
    var failed = false
    @OptionGroup var printing: OutputOptions

    func run() throws {
        var lines = CollectedLines()
        let (damaged, ids) = try store.read { view in
            let redactor = Redactor(isOn: printing.redact, store: try view.format().storeID)
            let display = EntryDisplay(redactor: redactor)
            let wait = try view.serverWait(for: .outbox, now: Filters.now())
            let reasons = WaitReasons(
                try view.session(), try view.readableOutboxHeads().entries, wait, now: Filters.now(), redactor)
            let (entries, damaged) = try view.readableOutboxEntries(lane: lane)
            for entry in entries where !failed || entry.delivery.state.isDeadLetter {
                try Interrupt.check()
                let why = reasons.sentence(entry)
                printing.json
                    ? lines.add(display.json(entry, why: why)) : lines.add(columns: display.columns(entry) + [why])
            }
            return (damaged, damaged > 0 ? try view.damagedOutboxEntries() : [])
        }
        try lines.print()
        if damaged > 0 { throw ToolError.damagedWrites(damaged, ids) }
    }
}
