import ArgumentParser
import LarderFormat
import LarderStore

/// Lists filters.
struct Tokens: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the filters that are synced, with their tokens.",
        discussion: """
            Prints, parted by tabs: filter, token, when it was stored, how many resources the filter holds, and what \
            its run is at. A filter without a token begins with everything at its next sync.

            JSON: {filter, token, tokenUpdatedAt, lastUntilSequence, bootstrapping, rejected, timeline, members: [{group, id}]} \
            for each. Times are in milliseconds since 1970-01-01 UTC.

            EXAMPLE: cachetool tokens /data/store

            \(ExitStatus.help)
            """)

    @OptionGroup var store: StoreArgument
    @OptionGroup var printing: OutputOptions

    func run() throws {
        var lines = CollectedLines()
        let damaged = try store.read { view in
            let redactor = Redactor(isOn: printing.redact, store: try view.format().storeID)
            let (filters, damaged) = try view.readableFilterStates()
            for (filter, _) in filters {
                try Interrupt.check()
                printing.json ? lines.add(json(filter, redactor)) : lines.add(columns: columns(filter, redactor))
            }
            return damaged.map { $0.name(redactor) }
        }
        try lines.print()
        if !damaged.isEmpty { throw ToolError.damagedFilters(damaged) }
    }

    private func columns(_ filter: FilterState, _ redactor: Redactor) -> [String] {
        let run = filter.isRejected ? "token rejected" : filter.isBootstrapping ? "bootstrapping" : "up to date"
        return [
            redactor.text(filter.filter), filter.token.map { redactor.text($0) } ?? "-",
            timeText(filter.tokenUpdatedAt), "\(filter.members.count)", run,
        ]
    }

    private func json(_ filter: FilterState, _ redactor: Redactor) -> JSON {
        [
            "filter": redactor.json(filter.filter), "token": redactor.json(filter.token),
            "tokenUpdatedAt": .optional(filter.tokenUpdatedAt),
            "lastUntilSequence": .optional(filter.lastUntilSequence), "bootstrapping": .bool(filter.isBootstrapping),
            "rejected": .bool(filter.isRejected), "timeline": .integer(filter.timeline),
            "members": .array(
                filter.members.map { ["group": redactor.json($0.group), "id": redactor.json($0.id)] }),
        ]
    }
}
