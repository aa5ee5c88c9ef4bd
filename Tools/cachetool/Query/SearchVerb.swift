import ArgumentParser
import LarderFormat
import LarderQuery
import LarderStore

/// Finds rows by their words.
struct SearchVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Find rows by the words in their columns.",
        discussion: """
            Searches the columns of the table for rows that have all of the words, and prints the best first, parted by tabs: \
            resource, key, score, and the part that fits best. The words are read into memory; the store is not written to. Ends \
            with 1 when nothing is found.

            JSON: {group, id, type, key, score, snippet}.

            EXAMPLE: cachetool search /data/store --table 'verses=translations/19:translation:text' merciful

            \(ExitStatus.help)
            """)

    @OptionGroup var store: StoreArgument
    @Argument(help: "The words, all of which a row has to have.")
    var words: [String]
    @Option(help: TableArgument.help)
    var table: TableArgument
    @Option(help: "The most rows.")
    var limit = 20
    @Flag(help: "Print the work of the search, on standard error.")
    var facts = false
    @OptionGroup var printing: OutputOptions

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit cannot be negative.") }
    }

    func run() async throws {
        let store = try StoreArgument.open(self.store.store)
        defer { try? store.close() }
        let redactor = Redactor(isOn: printing.redact, store: try store.read { view in try view.format().storeID })
        let definition = try table.definition()
        if definition.columns.isEmpty { throw ToolError.usage("The table has no columns to search.") }
        let query = try StoreQuery(store, tables: [definition])
        let (words, limit) = (words.joined(separator: " "), limit)
        let hits = try await Sync.untilInterrupted {
            try query.search(definition.name, .words(words), SearchOptions(limit: limit))
        }.get()
        for hit in hits {
            try Interrupt.check()
            let key = hit.object.key
            if printing.json {
                try Terminal.print([
                    "group": redactor.json(key.resource.group), "id": redactor.json(key.resource.id),
                    "type": redactor.json(key.type), "key": redactor.json(key.key), "score": .real(hit.score),
                    "snippet": redactor.json(hit.snippet),
                ])
            } else {
                let snippet = redactor.text(hit.snippet ?? "")
                try Terminal.print(
                    columns: [redactor.text(key.resource), redactor.text(key.key), String(hit.score), snippet])
            }
        }
        if facts { Terminal.printError("\(hits.facts)") }
        if hits.isEmpty { throw ToolError.notFound("No row has these words.") }
    }
}
