import LarderFormat
import LarderStore

/// The resources with their readiness, age and size.
enum ResourcesPage {
    /// The most resources of one page.
    private static let limit = 200

    static func content(_ context: PageContext, _ view: borrowing ReadView) throws -> PageContent {
        let group = context.query.filled("group")
        let (all, damaged) = try view.readableResources(inGroup: group)
        let (shown, next) = context.part(all, limit)
        let groups = Dictionary(grouping: all, by: \.key.group)
        var body: HTML = "<p>\(countText(all.count, "resource"))\(scope(group)).</p>"
        body += .damaged(resources: damaged)
        body += Treemap.html(parts(all, groups.keys.sorted()))
        body += .table(
            "Resources by group and number",
            [
                .text("Resource"), .text("Readable offline"), .number("Rows"), .number("Size"),
                .number("Sequence"), .text("Synced"), .text("Changed"), .text("Pinned"),
            ],
            shown.map { row($0, context.now) }, empty: "The store has no resources: no filter was synced yet.")
        body += .paging(.resources, [("group", group)], next: next, context)
        return PageContent(title: "Resources", body: body)
    }

    private static func scope(_ group: String?) -> HTML {
        guard let group else { return "" }
        return " of the group <strong>\(group)</strong> (\(HTML.link("all groups", .resources)))"
    }

    /// The largest resources, and the rest of each group as one part.
    private static func parts(_ resources: [Resource], _ groups: [String]) -> [Treemap.Part] {
        let largest = resources.sorted { $0.byteCount > $1.byteCount }
        var rest: [String: Int64] = [:]
        for resource in largest.dropFirst(60) { rest[resource.key.group, default: 0] += Int64(resource.byteCount) }
        func color(_ group: String) -> Int { groups.firstIndex(of: group) ?? 0 }
        return largest.prefix(60).map { resource in
            Treemap.Part(
                name: "\(resource.key.group)/\(resource.key.id)", bytes: Int64(resource.byteCount),
                link: InspectorLink(.resource, InspectorLink.values(of: resource.key)), color: color(resource.key.group)
            )
        }
            + rest.map { group, bytes in
                Treemap.Part(
                    name: "other \(group)", bytes: bytes, link: InspectorLink(.resources, [("group", group)]),
                    color: color(group))
            }
    }

    private static func row(_ resource: Resource, _ now: Int64) -> [HTML] {
        [
            .link(resource.key), readable(resource), "\(resource.rowCount)", .size(Int64(resource.byteCount)),
            "\(resource.appliedSequence)", .time(resource.syncedAt, now: now), .time(resource.changedAt, now: now),
            resource.isPinned ? "pinned" : "–",
        ]
    }

    /// Returns whether a resource can be read without the server, and why not.
    static func readable(_ resource: Resource) -> HTML {
        switch resource.state {
        case .ready: "<span class=\"good\">yes</span>"
        case .hidden: "no: the server hides it"
        case .evicted: "<span class=\"bad\">no: dropped for space</span>"
        case .empty: "<span class=\"bad\">not yet</span>"
        }
    }
}
