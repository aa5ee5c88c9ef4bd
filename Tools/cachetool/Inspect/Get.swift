import ArgumentParser
import LarderFormat
import LarderStore

/// Prints one row.
struct Get: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print one row.",
        discussion: """
            Prints the payload, byte for byte and nothing else, but on a terminal control and format characters \
            escaped; --redact prints type, key, time and size as list does. \
            Ends with 1 when there is no such row.

            JSON: {group, id, type, key, updatedAt, codec, size, payload}, with base64 in place of payload when it is \
            not UTF-8. updatedAt is in milliseconds since 1970-01-01 UTC; codec is 0 for bytes, 1 for JSON, 16 and up \
            for the program's own.

            EXAMPLE: cachetool get /data/store translations/19 translation 4711

            \(ExitStatus.help)
            """)

    @OptionGroup var store: StoreArgument
    @Argument(help: "The resource, GROUP/ID.")
    var resource: ResourceArgument
    @Argument(help: "The row's type.")
    var type: String
    @Argument(help: "The row's key.")
    var key: String
    @OptionGroup var printing: OutputOptions

    func run() throws {
        let (redactor, stored) = try store.read { view in
            let key = RowKey(resource: resource.key, type: type, key: self.key)
            let redactor = Redactor(isOn: printing.redact, store: try view.format().storeID)
            guard let row = try view.row(at: key) else { throw try missing(view, redactor) }
            return (redactor, ListedRow(key, row))
        }
        if printing.json {
            try Terminal.print(redactor.json(stored))
        } else if redactor.isOn {
            try Terminal.print(columns: redactor.columns(stored))
        } else {
            try Terminal.write(content: stored.payload)
        }
    }

    private func missing(_ view: borrowing ReadView, _ redactor: Redactor) throws -> ToolError {
        let name = redactor.text(resource.key)
        guard let found = try view.resource(resource.key) else {
            return .notFound("The store has no resource \(name): see resources.")
        }
        guard found.state == .ready else {
            return .notFound("The resource \(name) is \(found.state) and shows no rows: sync it.")
        }
        return .notFound("The resource \(name) has no such row: see list.")
    }
}
