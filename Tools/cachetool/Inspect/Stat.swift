import ArgumentParser
import LarderEngine
import LarderFormat
import LarderStore

/// Prints counts and sizes.
struct Stat: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the counts and sizes of a store.",
        discussion: """
            Figures are of one commit; sizes are in bytes. Slots of readers are those used at some time since the \
            first open. Garbage is what was replaced and is not removed yet. Servers are those whose content is synced, \
            that unsent writes are for, and whose objects are kept. The account is the one that the content belongs to, where \
            accounts do not share it. --redact replaces these names.

            JSON: {store, format, createdBy, commit, fileSize, pageSize, usedPages, lastPage, mapSize, storedSize, \
            readersUsed, readersMaximum, resources: {ready, hidden, evicted, empty}, rows, generations: {live, \
            staging, garbage, garbageRows, garbageBytes}, filters, members, outbox: {entries, lanes, oldestAt}, \
            journal, tables: {NAME: {entries, depth, branchPages, leafPages, overflowPages}}, servers: {sync, outbox, \
            objects}, account}. Times are in milliseconds since 1970-01-01 UTC.

            EXAMPLE: cachetool stat /data/store

            \(ExitStatus.help)
            """)

    @OptionGroup var store: StoreArgument
    @OptionGroup var printing: OutputOptions

    func run() throws {
        let opened = try StoreArgument.open(store.store)
        defer { try? opened.close() }
        let statistics = try opened.statistics()
        let redactor = Redactor(isOn: printing.redact, store: statistics.storeID)
        let owners = try opened.read { view in try ContentOwners(view) }
        if printing.json { return try Terminal.print(json(statistics, owners, redactor)) }
        for (name, value) in lines(statistics, owners, redactor) {
            try Terminal.print(name + String(repeating: " ", count: max(1, 14 - name.count)) + value)
        }
    }

    private func lines(
        _ statistics: StoreStatistics, _ owners: ContentOwners, _ redactor: Redactor
    ) -> [(String, String)] {
        let resources = statistics.resources
        let generations = statistics.generations
        var lines = [
            ("store", statistics.storeID.description),
            ("format", "\(statistics.formatVersion), created by \(statistics.createdBy)"),
            ("commit", "\(statistics.lastCommit)"),
            ("file", "\(statistics.fileSize) bytes, pages of \(statistics.pageSize)"),
            ("pages", "\(statistics.usedPages) in use, \(statistics.lastPage + 1) in the file"),
            ("map", "\(statistics.mapSize) bytes"),
            ("stored", "\(statistics.storedSize) bytes"),
            ("readers", "\(statistics.readers.used) of \(statistics.readers.maximum)"),
            (
                "resources",
                "\(resources.ready) ready, \(resources.hidden) hidden, \(resources.evicted) evicted, "
                    + "\(resources.empty) empty"
            ),
            ("rows", "\(statistics.rows)"),
            (
                "generations",
                "\(generations.live) live, \(generations.staging) staging, \(generations.garbage) garbage "
                    + "(\(generations.garbageRows) rows, \(generations.garbageBytes) bytes)"
            ),
            ("filters", "\(statistics.filters), with \(statistics.members) members"),
            (
                "outbox",
                "\(statistics.outboxEntries) in \(statistics.outboxLanes) lanes, oldest "
                    + timeText(statistics.oldestOutboxEntryAt)
            ),
            ("journal", "\(statistics.journalRecords)"),
            (
                "servers",
                owners.servers.map { "\($0.content) \($0.server.map { redactor.text($0) } ?? "-")" }
                    .joined(separator: ", ")
            ),
            ("account", owners.account.map { redactor.text($0) } ?? "-"),
        ]
        for name in TableName.allCases.map(\.rawValue) {
            guard let table = statistics.tables[name] else { continue }
            lines.append((name, "\(table.entries) entries, \(table.pages) pages, depth \(table.depth)"))
        }
        return lines
    }

    private func json(
        _ statistics: StoreStatistics, _ owners: ContentOwners, _ redactor: Redactor
    ) -> JSON {
        let tables = TableName.allCases.compactMap { name in
            statistics.tables[name.rawValue].map { table in
                JSON.Member(
                    name: name.rawValue,
                    value: [
                        "entries": .count(table.entries), "depth": .count(table.depth),
                        "branchPages": .count(table.branchPages), "leafPages": .count(table.leafPages),
                        "overflowPages": .count(table.overflowPages),
                    ])
            }
        }
        return [
            "store": .string(statistics.storeID.description), "format": .string(statistics.formatVersion),
            "createdBy": .string(statistics.createdBy), "commit": .integer(Int64(clamping: statistics.lastCommit)),
            "fileSize": .integer(statistics.fileSize), "pageSize": .count(statistics.pageSize),
            "usedPages": .count(statistics.usedPages), "lastPage": .count(statistics.lastPage),
            "mapSize": .count(statistics.mapSize), "storedSize": .integer(statistics.storedSize),
            "readersUsed": .count(statistics.readers.used), "readersMaximum": .count(statistics.readers.maximum),
            "resources": [
                "ready": .count(statistics.resources.ready), "hidden": .count(statistics.resources.hidden),
                "evicted": .count(statistics.resources.evicted), "empty": .count(statistics.resources.empty),
            ],
            "rows": .integer(statistics.rows),
            "generations": [
                "live": .count(statistics.generations.live), "staging": .count(statistics.generations.staging),
                "garbage": .count(statistics.generations.garbage),
                "garbageRows": .integer(statistics.generations.garbageRows),
                "garbageBytes": .integer(statistics.generations.garbageBytes),
            ],
            "filters": .count(statistics.filters), "members": .count(statistics.members),
            "outbox": [
                "entries": .count(statistics.outboxEntries), "lanes": .count(statistics.outboxLanes),
                "oldestAt": .optional(statistics.oldestOutboxEntryAt),
            ],
            "journal": .count(statistics.journalRecords), "tables": .object(tables),
            "servers": .object(owners.servers.map { JSON.Member(name: $0.content, value: redactor.json($0.server)) }),
            "account": redactor.json(owners.account),
        ]
    }
}

/// The servers and the account that the content of a store belongs to.
private struct ContentOwners: Sendable {
    let servers: [(content: String, server: String?)]
    let account: String?

    init(_ view: borrowing ReadView) throws {
        servers = try ServerContent.allCases.map { content in
            (content: content.rawValue, server: try view.readableServer(of: content))
        }
        account = try view.readableAccount()
    }
}
