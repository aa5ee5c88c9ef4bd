import Foundation
import LarderFormat
import LarderStore

/// The changes of the server since the beginning of a day, by resource and row.
enum ChangesPage {
    /// The rows that are read for one page.
    private static let limit = 50_000
    /// The resources, or rows of one resource, of one page.
    private static let shown = 200

    static func content(_ context: PageContext, _ view: borrowing ReadView) throws -> PageContent {
        let days = context.query.filled("days").flatMap { Int($0) }.map { min(max($0, 1), 3_650) } ?? 1
        let since = beginning(daysBefore: days - 1, context)
        let scope: [(String, String?)] = [("days", String(days))]
        let choice = [1, 2, 7, 30].map { count -> HTML in
            let values =
                [("days", Optional(String(count)))]
                + (context.query["group"] == nil
                    ? []
                    : [
                        ("group", context.query["group"]), ("id", context.query["id"]),
                    ])
            return "\(HTML.link(count == 1 ? "today" : "\(count) days", .changes, values)) "
        }
        var body: HTML = """
            <p>Since \(HTML.time(since, now: context.now)). Show \(choice)</p>
            <p class="hint">A row counts by the time that the server states for it; a row of a fetched snapshot has the time \
            of the fetch. Rows that the server deleted leave no trace.</p>
            """
        if context.query["group"] != nil {
            body += try rows(of: try context.resource(), since: since, scope, context, view)
            return PageContent(title: "Changes", body: body)
        }
        body += try resources(since: since, scope, context, view)
        return PageContent(title: "Changes", body: body)
    }

    private static func resources(
        since: Int64, _ scope: [(String, String?)], _ context: PageContext, _ view: borrowing ReadView
    ) throws -> HTML {
        let (all, damaged) = try view.readableResources()
        let changed = all.filter { ($0.changedAt ?? 0) >= since }.sorted { ($0.changedAt ?? 0) > ($1.changedAt ?? 0) }
        let (part, next) = context.part(changed, shown)
        var budget = limit
        let lines = try part.map { resource -> [HTML] in
            let values = InspectorLink.values(of: resource.key) + scope
            var count: HTML = .link("count", .changes, values)
            if resource.rowCount <= budget {
                budget -= resource.rowCount
                do {
                    let found = try changedRows(of: resource.key, since: since, view)
                    count = .link("\(found.count) of \(resource.rowCount)", .changes, values)
                } catch  where ExitStatus(error) == .damage {
                    count = .link("damaged", .problems)
                }
            }
            return [.link(resource.key), .time(resource.changedAt, now: context.now), count, state(resource)]
        }
        return """
            \(HTML.damaged(resources: damaged))
            \(HTML.table(
                "Resources that changed",
                [.text("Resource"), .text("Changed"), .number("Rows changed"), .text("State")], lines,
                empty: "The server changed nothing since then, as far as this store was synced."))
            \(HTML.paging(.changes, scope, next: next, context))
            """
    }

    /// Returns the beginning of a day, in milliseconds since 1970-01-01 UTC.
    private static func beginning(daysBefore days: Int, _ context: PageContext) -> Int64 {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = context.timeZone
        let today = calendar.startOfDay(for: Date(timeIntervalSince1970: Double(context.now) / 1000))
        let day = calendar.date(byAdding: .day, value: -days, to: today) ?? today
        return Int64(day.timeIntervalSince1970 * 1000)
    }

    private static func state(_ resource: Resource) -> HTML {
        resource.state == .hidden ? "deleted or hidden by the server" : ResourcesPage.readable(resource)
    }

    private struct Change {
        let key: RowKey
        let updatedAt: Int64
    }

    private static func changedRows(
        of resource: ResourceKey, since: Int64, _ view: borrowing ReadView
    ) throws -> [Change] {
        var found: [Change] = []
        try view.forEachServerRow(in: .all(of: resource), verified: false) { entry in
            guard entry.row.updatedAt >= since else { return }
            let (type, key) = try entry.key()
            found.append(Change(key: RowKey(resource: resource, type: type, key: key), updatedAt: entry.row.updatedAt))
        }
        return found
    }

    private static func rows(
        of resource: ResourceKey, since: Int64, _ scope: [(String, String?)], _ context: PageContext,
        _ view: borrowing ReadView
    ) throws -> HTML {
        let found = try changedRows(of: resource, since: since, view).sorted { $0.updatedAt > $1.updatedAt }
        let (part, next) = context.part(found, shown)
        return """
            <p>\(countText(found.count, "row")) of \(HTML.link(resource)).</p>
            \(HTML.table(
                "Rows that changed, the newest first", [.text("Row"), .text("Changed")],
                part.map { [.link($0.key), .time($0.updatedAt, now: context.now)] },
                empty: "No row of this resource changed since then."))
            \(HTML.paging(.changes, InspectorLink.values(of: resource) + scope, next: next, context))
            """
    }
}
