import ArgumentParser
import LarderFormat
import LarderStore

/// Exports writes.
struct OutboxExport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Copy dead letters out, whole.",
        discussion: """
            Prints JSON, one object per line: the members that outbox show prints. Bodies that are blobs are named, \
            not copied. With --redact there is no payload, and sizes and hashes in place of the rest.

            EXAMPLE: cachetool outbox export /data/store > letters.jsonl

            \(ExitStatus.help)
            """)

    @OptionGroup var store: StoreArgument
    @Flag(help: "All writes, not only those that failed or were rejected.")
    var all = false
    @Flag(help: "Leave payloads out, and print sizes and hashes in place of content, keys and URLs.")
    var redact = false

    func run() throws {
        var lines = CollectedLines()
        let (damaged, ids) = try store.read { view in
            let display = EntryDisplay(redactor: Redactor(isOn: redact, store: try view.format().storeID))
            let (entries, damaged) = try view.readableOutboxEntries()
            for entry in entries where all || entry.delivery.state.isDeadLetter {
                try Interrupt.check()
                lines.add(display.fullJSON(entry, hasPayload: !redact))
            }
            return (damaged, damaged > 0 ? try view.damagedOutboxEntries() : [])
        }
        try lines.print()
        if damaged > 0 { throw ToolError.damagedWrites(damaged, ids) }
    }
}
