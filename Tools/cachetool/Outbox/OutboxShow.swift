import ArgumentParser
import LarderFormat
import LarderStore

/// Shows one entry with all its members.
struct OutboxShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one write whole.",
        discussion: """
            Prints one line for each thing that is known, its name and its value parted by a tab.

            JSON: the members that outbox list prints, and account, entity, fields: [{name, value}], blob: {number, \
            bytes}, after, rows: [{group, id, type, key}], deduplicationKey, mostAttempts, predecessor, loadsAnswer, \
            firstTriedAt, lastTriedAt, batch. Times are in milliseconds since 1970-01-01 UTC.

            EXAMPLE: cachetool outbox show /data/store 7d9c1a52-3e64-4f0b-9a8d-1c2b3a495867

            \(ExitStatus.help)
            """)

    @OptionGroup var store: StoreArgument
    @Argument(help: "The identity of the entry, as list prints it.")
    var entry: EntryArgument
    @OptionGroup var printing: OutputOptions

    func run() throws {
        let whole = try store.read { view in
            guard let found = try view.outboxEntry(entry.id) else { throw ToolError.noEntry(entry.id) }
            let redactor = Redactor(isOn: printing.redact, store: try view.format().storeID)
            return EntryDisplay(redactor: redactor).fullJSON(found)
        }
        if printing.json { return try Terminal.print(whole) }
        guard case .object(let members) = whole else { return }
        for member in members { try Terminal.print(columns: [member.name, text(member)]) }
    }

    private func text(_ member: JSON.Member) -> String {
        switch (member.name, member.value) {
        case ("createdAt", .integer(let time)), ("dueAt", .integer(let time)), ("firstTriedAt", .integer(let time)),
            ("lastTriedAt", .integer(let time)):
            timeText(time)
        case (_, .null): "-"
        case (_, .string(let text)): text.unicodeScalars.contains { $0.isControlOrFormat } ? member.value.text : text
        case (_, let value): value.text
        }
    }
}
