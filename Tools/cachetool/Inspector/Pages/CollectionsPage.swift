import LarderFormat
import LarderStore

/// The stored results of queries for objects.
enum CollectionsPage {
    /// The most collections that are shown.
    private static let limit = 500

    static let columns: [PageColumn] = [
        .text("Query"), .text("Class"), .text("Reached through"), .text("Resource"), .number("Rows"), .text("Fetched"),
    ]

    static func content(_ context: PageContext, _ view: borrowing ReadView) throws -> PageContent {
        let name = context.query.filled("class")
        let all = try view.collections(ofClass: name)
        let left = all.count - min(all.count, limit)
        return PageContent(
            title: "Collections",
            body: """
                \(HTML.table(
                    "Results of queries, by class and query", columns, all.prefix(limit).map { row($0, context.now) },
                    empty: "The store has no collections: no app fetched objects into it."))
                \(left > 0 ? "<p>And \(left) more: name a class in the address (class=…).</p>" : "" as HTML)
                """)
    }

    static func row(_ collection: StoredCollection, _ now: Int64) -> [HTML] {
        let name = collection.name
        let reference = name.reference.map { reference -> HTML in
            "\(HTML.link(reference.row)) \(reference.attribute)"
        }
        return [
            "\(name.query.isEmpty ? "all" : name.query)",
            .link(name.className, .collections, [("class", name.className)]), reference ?? "–",
            .link(collection.home), "\(collection.rowCount)", .time(collection.fetchedAt, now: now),
        ]
    }
}
