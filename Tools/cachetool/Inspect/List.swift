import ArgumentParser
import LarderFormat
import LarderStore

/// Lists rows.
struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the rows of a resource.",
        discussion: """
            Prints, parted by tabs: type, key, when the server last changed it, size of the payload in bytes. Within a \
            type, keys that are decimal numbers come first and sort as numbers. Ends with 1 when there is no such \
            resource.

            JSON: as get, one object per row.

            EXAMPLE: cachetool list /data/store translations/19 --type translation --from 100 --up-to 200

            \(ExitStatus.help)
            """)

    @OptionGroup var store: StoreArgument
    @Argument(help: "The resource, GROUP/ID.")
    var resource: ResourceArgument
    @Option(help: "Only rows of this type.")
    var type: String?
    @Option(help: "Only keys that begin so; keys that are decimal numbers have no beginning. Needs --type.")
    var prefix: String?
    @Option(help: "The first key. Needs --type.")
    var from: String?
    @Option(help: "The key to end before. Needs --type.")
    var upTo: String?
    @Option(help: "The most rows.")
    var limit = Int.max
    @Flag(help: "From the end to the start.")
    var reverse = false
    @OptionGroup var printing: OutputOptions

    func validate() throws {
        if type == nil, prefix != nil || from != nil || upTo != nil {
            throw ValidationError("--prefix, --from and --up-to need --type: keys are ordered within their type.")
        }
        if prefix != nil, from != nil || upTo != nil { throw ValidationError("Give --prefix, or --from and --up-to.") }
        if limit < 0 { throw ValidationError("--limit cannot be negative.") }
    }

    func run() throws {
        try store.read { view in
            let redactor = Redactor(isOn: printing.redact, store: try view.format().storeID)
            guard try view.resource(resource.key) != nil else {
                throw ToolError.notFound("The store has no resource \(redactor.text(resource.key)): see resources.")
            }
            try view.forEachRow(in: range, reversed: reverse, limit: limit) { entry in
                try Interrupt.check()
                let (type, key) = try entry.key()
                let row = ListedRow(RowKey(resource: resource.key, type: type, key: key), entry.row)
                if printing.json {
                    try Terminal.print(redactor.json(row))
                } else {
                    try Terminal.print(columns: redactor.columns(row))
                }
            }
        }
    }

    private var range: RowRange {
        guard let type else { return .all(of: resource.key) }
        if let prefix { return .prefix(prefix, type: type, of: resource.key) }
        if from == nil, upTo == nil { return .type(type, of: resource.key) }
        // The smallest number sorts before every other key.
        return .keys(from: from ?? String(Int64.min), upTo: upTo, type: type, of: resource.key)
    }
}
