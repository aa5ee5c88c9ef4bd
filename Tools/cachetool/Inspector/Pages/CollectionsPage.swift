import LarderFormat
import LarderStore

/// The stored results of queries for objects.
enum CollectionsPage {
    /// The collections of one page.
    private static let limit = 500

    static let columns: [PageColumn] = [
        .text("Query"), .text("Class"), .text("Reached through"), .text("Resource"), .number("Rows"), .text("Fetched"),
    ]

    static func content(_ context: PageContext, _ view: borrowing ReadView) throws -> PageContent {
        let name = context.query.filled("class")
        let all = try view.collections(ofClass: name)
        let (shown, next) = context.part(all, limit)
        return PageContent(
            title: "Collections",
            body: """
                \(HTML.table(
                    "Results of queries, by class and query", columns, shown.map { row($0, context.now) },
                    empty: "The store has no collections: no app fetched objects into it."))
                \(HTML.paging(.collections, [("class", name)], next: next, context))
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
