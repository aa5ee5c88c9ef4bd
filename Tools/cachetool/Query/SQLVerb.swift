import ArgumentParser
import LarderFormat
import LarderQuery
import LarderStore

/// Runs one SQL statement over rows.
struct SQLVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sql",
        abstract: "Run a SELECT over rows.",
        discussion: """
            Each --table names rows of one type, of one resource or of a group, and columns out of their payloads. Every \
            table also has key, updated_at, payload, resource_group and resource_id; collection_members lists the members \
            of collections. The syntax is SQLite's, and nothing but SELECT, VALUES and WITH is allowed. Declared indexes are \
            used. Prints the values of each row, parted by tabs; NULL stands for none. --explain prints how the rows would be \
            found.

            JSON: one object per row, with the names of the columns; {payload} or {base64} stands for bytes.

            EXAMPLE: cachetool sql /data/store --table 'verses=translations/19:translation:verse,by=$.author.name' \
            'SELECT key, by FROM verses WHERE verse < 10'

            \(ExitStatus.help)
            """)

    @OptionGroup var store: StoreArgument
    @Argument(help: "The statement.")
    var statement: String
    @Option(name: .customLong("table"), help: TableArgument.help)
    var tables: [TableArgument] = []
    @Flag(help: "Print the plan in place of the rows.")
    var explain = false
    @Flag(help: "Print the work of the query, on standard error.")
    var facts = false
    @OptionGroup var printing: OutputOptions

    func run() async throws {
        let store = try StoreArgument.open(self.store.store)
        defer { try? store.close() }
        let redactor = Redactor(isOn: printing.redact, store: try store.read { view in try view.format().storeID })
        // The user of the tool can end a long query.
        let query = try StoreQuery(
            store, tables: tables.map { try $0.definition() }, options: QueryOptions(stepLimit: nil))
        if explain {
            for line in try query.explain(statement) {
                try printing.json ? Terminal.print(["step": .string(line)]) : Terminal.print(line)
            }
            return
        }
        let result = try await Sync.untilInterrupted { [statement] in try query.rows(statement) }.get()
        for row in result.rows {
            try Interrupt.check()
            if printing.json {
                let members = zip(result.columns, row.values).map { name, value in
                    JSON.Member(name: name, value: redactor.json(value))
                }
                try Terminal.print(JSON.object(members))
            } else {
                try Terminal.print(columns: row.values.map { redactor.text($0) })
            }
        }
        if facts { Terminal.printError("\(result.facts)") }
    }
}
