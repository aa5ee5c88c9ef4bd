import ArgumentParser
import LarderFormat
import LarderStore

/// Looks into the outbox.
struct Outbox: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look into the outbox.",
        discussion: """
            EXAMPLE: cachetool outbox list /data/store

            \(ExitStatus.help)
            """,
        subcommands: [OutboxList.self])
}

/// Lists what waits to be sent.
struct OutboxList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the writes that wait to be sent.",
        discussion: """
            Prints, parted by tabs: lane, sequence, entry, when it was enqueued, kind, method, endpoint, size of the \
            payload in bytes, attempts. Each lane in the order it is sent.

            JSON: {lane, sequence, entry, createdAt, mutationType, method, endpoint, attempts, size, payload} for \
            each, with base64 in place of payload when it is not UTF-8. Times are in milliseconds since 1970-01-01 UTC.

            EXAMPLE: cachetool outbox list /data/store --lane notes

            \(ExitStatus.help)
            """)

    @OptionGroup var store: StoreArgument
    @Option(help: "Only this lane.")
    var lane: String?
    @OptionGroup var printing: OutputOptions

    func run() throws {
        try store.read { view in
            let redactor = Redactor(isOn: printing.redact, store: try view.format().storeID)
            for entry in try view.outboxEntries(lane: lane) {
                try Interrupt.check()
                try printing.json ? Terminal.print(json(entry, redactor)) : Terminal.print(line(entry, redactor))
            }
        }
    }

    private func line(_ entry: OutboxEntry, _ redactor: Redactor) -> String {
        [
            redactor.text(entry.lane), "\(entry.sequence)", entry.id.description, timeText(entry.createdAt),
            entry.mutationType, entry.method, redactor.text(entry.endpoint), "\(entry.payload.count)",
            "\(entry.tries)",
        ].joined(separator: "\t")
    }

    private func json(_ entry: OutboxEntry, _ redactor: Redactor) -> JSON {
        .object([
            JSON.Member(name: "lane", value: redactor.json(entry.lane)),
            JSON.Member(name: "sequence", value: .integer(entry.sequence)),
            JSON.Member(name: "entry", value: .string(entry.id.description)),
            JSON.Member(name: "createdAt", value: .integer(entry.createdAt)),
            JSON.Member(name: "mutationType", value: .string(entry.mutationType)),
            JSON.Member(name: "method", value: .string(entry.method)),
            JSON.Member(name: "endpoint", value: redactor.json(entry.endpoint)),
            JSON.Member(name: "attempts", value: .count(entry.tries)),
            JSON.Member(name: "size", value: .count(entry.payload.count)),
            redactor.payload(entry.payload),
        ])
    }
}
