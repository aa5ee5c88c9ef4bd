import ArgumentParser
import LarderFormat
import LarderStore

/// Lists stored HTTP responses.
struct Responses: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the HTTP responses of a store.",
        discussion: """
            Prints, parted by tabs: cache key, method, status, bytes of the body, when it was received, when it was last \
            used, and pinned or -. In the order of the store, which is that of the keys' beginnings. Damaged responses \
            are left out: see verify.

            JSON: {key, method, url, status, bytes, partStart, partEnd, requestedAt, receivedAt, storedAt, lastUsedAt, \
            demand, pinned, tags, selecting: [{name, value}]} for each. Times are in milliseconds since \
            1970-01-01 UTC; demand is what was said of its next use: none, refresh or validation.

            EXAMPLE: cachetool responses /data/store --prefix https://api.example.org/

            \(ExitStatus.help)
            """)

    /// The number of records read at a time.
    private static let batch = 256

    @OptionGroup var store: StoreArgument
    @Option(help: "Only responses whose cache key begins with this text.")
    var prefix: String?
    @OptionGroup var printing: OutputOptions

    func run() throws {
        let lines = try store.read { view in
            var lines = CollectedLines()
            let redactor = Redactor(isOn: printing.redact, store: try view.format().storeID)
            var last: ResponseAddress?
            while true {
                try Interrupt.check()
                let found = try view.responses(after: last, limit: Self.batch)
                for entry in found where isWanted(entry.record) {
                    printing.json
                        ? lines.add(json(entry.record, redactor)) : lines.add(columns: columns(entry.record, redactor))
                }
                guard let end = found.last else { return lines }
                last = end.place
            }
        }
        try lines.print()
    }

    private func isWanted(_ record: ResponseRecord) -> Bool {
        prefix.map { record.key.utf8.starts(with: $0.utf8) } ?? true
    }

    private func columns(_ record: ResponseRecord, _ redactor: Redactor) -> [String] {
        [
            redactor.text(record.key), redactor.text(record.method), "\(record.status)", "\(record.byteCount)",
            timeText(record.receivedAt), timeText(record.lastUsedAt), record.isPinned ? "pinned" : "-",
        ]
    }

    private func json(_ record: ResponseRecord, _ redactor: Redactor) -> JSON {
        [
            "key": redactor.json(record.key), "method": redactor.json(record.method),
            "url": redactor.json(record.url), "status": .integer(record.status), "bytes": .integer(record.byteCount),
            "partStart": .optional(record.part?.start), "partEnd": .optional(record.part?.end),
            "requestedAt": .integer(record.requestedAt), "receivedAt": .integer(record.receivedAt),
            "storedAt": .integer(record.storedAt), "lastUsedAt": .integer(record.lastUsedAt),
            "demand": .string("\(record.demand)"),
            "pinned": .bool(record.isPinned), "tags": .array(record.tags.map { redactor.json($0) }),
            "selecting": .array(
                record.selecting.map { ["name": redactor.json($0.name), "value": redactor.json($0.value)] }),
        ]
    }
}
