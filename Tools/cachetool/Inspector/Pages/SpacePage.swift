import LarderEngine
import LarderFormat
import LarderStore

/// The use of the disk: tables, kinds of content, free pages, readers.
enum SpacePage {
    static func content(_ context: PageContext) throws -> (PageContent, commit: UInt64) {
        let statistics = try context.store.statistics()
        let use = try context.store.spaceUse()
        let pageSize = Int64(statistics.pageSize)
        let free = Int64(max(0, statistics.lastPage + 1 - statistics.usedPages)) * pageSize
        let names = TableName.allCases.map(\.rawValue)
        let tables = names.compactMap { name in statistics.tables[name].map { (name, $0) } }
            .sorted { $0.1.pages > $1.1.pages }
        let parts = tables.enumerated().map { index, table in
            Treemap.Part(
                name: table.0, bytes: Int64(table.1.pages) * pageSize,
                link: page(of: table.0).map { InspectorLink($0) },
                color: index)
        }
        let body: HTML = """
            <p>The file has \(HTML.size(statistics.fileSize)), of which \(HTML.size(free)) are free pages, which the store \
            uses again; 'cachetool compact' makes a copy without them.</p>
            \(Treemap.html(parts + [Treemap.Part(name: "free pages", bytes: free, color: 7)]))
            \(HTML.table(
                "Tables, the largest first",
                [
                    .text("Table"), .number("Size"), .number("Entries"), .number("Pages"), .number("Overflow pages"),
                    .number("Depth"),
                ], tables.map { row($0.0, $0.1, pageSize) }))
            \(HTML.table(
                "Stored bytes by what may happen to them", [.text("Content"), .number("Size"), .text("What may happen")],
                uses(use).filter { $0.1 > 0 }.map { ["\($0.0)", .size($0.1), "\($0.2)"] }))
            \(HTML.facts([
                ("Store", "\(statistics.storeID.description)"),
                ("Format", "\(statistics.formatVersion), created by \(statistics.createdBy)"),
                ("Pages", "\(statistics.usedPages) used of \(statistics.lastPage + 1), each of \(statistics.pageSize) bytes"),
                ("Map", .size(Int64(statistics.mapSize))),
                ("Slots for readers", "\(statistics.readers.used) used of \(statistics.readers.maximum)"),
                ("Resources", .link("\(statistics.resources.total)", .resources)),
                ("Generations", generations(statistics.generations)),
            ]))
            """
        return (PageContent(title: "Space", body: body), statistics.lastCommit)
    }

    private static func generations(_ count: StoreStatistics.GenerationCounts) -> HTML {
        "\(count.live) live, \(count.staging) being written, \(count.garbage) to be removed"
    }

    private static func page(of table: String) -> InspectorPage? {
        switch TableName(rawValue: table) {
        case .rows, .resources, .generations: .resources
        case .filters, .members: .sync
        case .outbox, .overlay: .outbox
        case .responses, .blobs: .responses
        case .collections: .collections
        case .journal: .activity
        default: nil
        }
    }

    private static func row(_ name: String, _ table: TableStatistics, _ pageSize: Int64) -> [HTML] {
        [
            page(of: name).map { .link(name, $0) } ?? "\(name)", .size(Int64(table.pages) * pageSize),
            "\(table.entries)", "\(table.pages)", "\(table.overflowPages)", "\(table.depth)",
        ]
    }

    private static func uses(_ use: SpaceUse) -> [(String, Int64, String)] {
        [
            ("Rows, responses and collections", use.evictable, "dropped when space is needed, the least used first"),
            ("Pinned content", use.pinned, "never dropped for space"),
            ("Resources with local changes", use.overlaid, "kept until their writes are accepted"),
            ("Writes that wait to be sent", use.outbox, "kept until they are accepted or dropped"),
            ("Snapshots being written", use.staging, "shown when they are complete"),
            ("Replaced content", use.garbage, "removed step by step"),
            ("Everything else", use.other, "records about the content"),
        ]
    }
}
