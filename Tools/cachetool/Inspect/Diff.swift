import ArgumentParser
import LarderFormat
import LarderStore

/// Compares two stores.
struct Diff: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compare the content of two stores.",
        discussion: """
            Compares resources (state, applied sequence, path, schema version, pin), their rows, filters with tokens and members, \
            and the outbox. What a store counts for itself is left out: identity, generation and sequence numbers, \
            local times, journal. Prints - for what only A has, + for what only B has, ~ for what differs and how, and \
            ends with equal or the number of differences. Ends with 1 when there are any.

            JSON: {side, what, name, differs} for each, where side is a, b or both, what is resource, row, filter, \
            member or entry, name is a list and differs names what does; then {differences}.

            EXAMPLE: cachetool diff /data/store /data/copy

            \(ExitStatus.help)
            """)

    @Argument(help: "A store's directory.", completion: .directory)
    var a: String
    @Argument(help: "Another one's.", completion: .directory)
    var b: String
    @OptionGroup var key: KeyArgument
    @OptionGroup var printing: OutputOptions

    func run() throws {
        let (one, other) = (try StoreArgument.open(a), try StoreArgument.open(b))
        // Both may be the same store, so neither is closed inside a read.
        defer {
            try? one.close()
            try? other.close()
        }
        let count = try one.read { first in
            try other.read { second in
                let redactor = Redactor(isOn: printing.redact, store: try first.format().storeID)
                var differences = Differences(redactor: redactor, isJSON: printing.json)
                try differences.compareResources(first, second)
                try differences.compareFilters(first.filters(), second.filters())
                try differences.compareOutbox(first.outboxEntries(), second.outboxEntries())
                return differences.count
            }
        }
        if printing.json {
            try Terminal.print(["differences": .count(count)])
        } else {
            try Terminal.print(count == 0 ? "equal" : "\(count) differences")
        }
        if count > 0 { throw ExitStatus.findings.code }
    }
}
