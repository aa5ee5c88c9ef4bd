import LarderFormat
import LarderStore

/// One resource: its state, the filters that brought it, and its rows by page.
enum ResourcePage {
    /// The rows of one page.
    private static let limit = 100

    static func content(_ context: PageContext, _ view: borrowing ReadView) throws -> PageContent {
        let key = try context.resource()
        guard let resource = try view.resource(key) else {
            throw ToolError.notFound("The store has no resource \(key.group)/\(key.id).")
        }
        var body = HTML.facts(facts(resource, context))
        body += try filters(of: key, context, view)
        body += try rows(of: resource, context, view)
        return PageContent(title: "\(key.group)/\(key.id)", body: body)
    }

    private static func facts(_ resource: Resource, _ context: PageContext) -> [(String, HTML)] {
        let values = InspectorLink.values(of: resource.key)
        return [
            ("Readable offline", ResourcesPage.readable(resource)), ("Rows", "\(resource.rowCount)"),
            ("Size", .size(Int64(resource.byteCount))), ("Server sequence", "\(resource.appliedSequence)"),
            ("Synced", .time(resource.syncedAt, now: context.now)),
            ("Changed by the server", .time(resource.changedAt, now: context.now)),
            ("Last read", .time(resource.usedAt, now: context.now)),
            ("Rows with local changes", "\(resource.overlayCount)"),
            ("Pinned", resource.isPinned ? "yes: never dropped for space" : "no"),
            (
                "More",
                "\(HTML.link("What changed", .changes, values)), \(HTML.link("Query with SQL", .query, values + [("suggest", "1")]))"
            ),
        ]
    }

    /// Returns the filters that a resource is a member of, each with the reason of its state.
    static func filters(
        of resource: ResourceKey, _ context: PageContext, _ view: borrowing ReadView
    ) throws -> HTML {
        let reasons = try FilterReasons(view, now: context.now, context.redactor)
        let (filters, damaged) = try view.readableFilterStates()
        return .filters(
            "Filters that brought it", filters.filter { $0.state.members.contains(resource) }, damaged: damaged,
            reasons,
            context, empty: "No filter brought it: an app stored it by itself.")
    }

    private static func rows(
        of resource: Resource, _ context: PageContext, _ view: borrowing ReadView
    ) throws -> HTML {
        let (query, key) = (context.query, resource.key)
        let (type, prefix) = (query.filled("of"), query.filled("prefix"))
        let range: RowRange =
            if let after = query["after"], let afterType = query["afterType"] {
                type == nil
                    ? .all(of: key, afterType: afterType, key: after)
                    : .keys(after: after, through: nil, type: afterType, of: key)
            } else if let type {
                prefix.map { .prefix($0, type: type, of: key) } ?? .type(type, of: key)
            } else {
                .all(of: key)
            }
        var listed: [ListedRow] = []
        // One row more shows whether there is another page.
        try view.forEachRow(in: range, limit: limit + 1) { entry in
            let (type, name) = try entry.key()
            listed.append(ListedRow(RowKey(resource: key, type: type, key: name), entry.row))
        }
        let values = InspectorLink.values(of: key) + [("of", type)]
        let hasMore = listed.count > limit
        let shown = listed.prefix(limit)
        let next =
            hasMore && prefix == nil
            ? shown.last.map { last in
                [("afterType", Optional(last.key.type)), ("after", last.key.key)]
            } : nil
        return """
            \(form(key, type, prefix))
            \(HTML.table(
                "Rows", [.text("Row"), .text("Changed"), .number("Size"), .text("Beginning of the payload")],
                shown.map { row($0, context.now) },
                empty: prefix == nil ? "There are no rows here." : "No key of this type begins so."))
            \(HTML.paging(.resource, values, next: next, context))
            \(hasMore && prefix != nil ? "<p>Only the first \(limit) are shown: name more of the key.</p>" : "" as HTML)
            """
    }

    private static func form(_ key: ResourceKey, _ type: String?, _ prefix: String?) -> HTML {
        """
        <h2 id="rows">Rows</h2>
        <form action="./resource#rows" class="line">
        <input type="hidden" name="group" value="\(key.group)"><input type="hidden" name="id" value="\(key.id)">
        <label>Type <input name="of" value="\(type ?? "")"></label>
        <label>Key begins with <input name="prefix" value="\(prefix ?? "")"></label>
        <button>Show</button>
        </form>
        """
    }

    private static func row(_ row: ListedRow, _ now: Int64) -> [HTML] {
        let beginning = String(decoding: row.payload.prefix(120), as: UTF8.self).replacing("\n", with: " ")
        return [
            .link(row.key), .time(row.updatedAt, now: now), .size(Int64(row.payload.count)),
            "<code>\(beginning)\(row.payload.count > 120 ? "…" : "")</code>",
        ]
    }
}
