import LarderFormat
import LarderStore

// The parts that pages are put together from.

/// A column of a table.
struct PageColumn: Sendable {
    let name: String
    /// Whether it holds numbers, which stand at the right.
    var isNumber = false

    static func text(_ name: String) -> PageColumn { PageColumn(name: name) }
    static func number(_ name: String) -> PageColumn { PageColumn(name: name, isNumber: true) }
}

extension HTML {
    /// Returns a table, or a sentence where it has no rows. The first cell of a row is its heading.
    static func table(
        _ caption: String, _ columns: [PageColumn], _ rows: [[HTML]], empty: String = "There is nothing here."
    ) -> HTML {
        if rows.isEmpty { return "<p class=\"empty\">\(empty)</p>" }
        let head = columns.map { column -> HTML in
            "<th scope=\"col\"\(column.isNumber ? " class=\"number\"" as HTML : "")>\(column.name)</th>"
        }
        let body = rows.map { row -> HTML in
            let cells = zip(columns, row).enumerated().map { index, cell -> HTML in
                let style: HTML = cell.0.isNumber ? " class=\"number\"" : ""
                return index == 0 ? "<th scope=\"row\"\(style)>\(cell.1)</th>" : "<td\(style)>\(cell.1)</td>"
            }
            return "<tr>\(cells)</tr>\n"
        }
        return """
            <div class="wide" tabindex="0" role="group" aria-label="\(caption)"><table>
            <caption>\(caption)</caption>
            <thead><tr>\(head)</tr></thead>
            <tbody>
            \(body)</tbody></table></div>
            """
    }

    /// Returns names with their values.
    static func facts(_ facts: [(String, HTML)]) -> HTML {
        let parts = facts.map { name, value -> HTML in "<div><dt>\(name)</dt><dd>\(value)</dd></div>\n" }
        return "<dl class=\"facts\">\n\(parts)</dl>"
    }

    /// Returns a link to a page.
    static func link(_ text: String, _ page: InspectorPage, _ values: [(String, String?)] = []) -> HTML {
        "<a href=\"\(InspectorLink(page, values).target)\">\(text)</a>"
    }

    /// Returns a link to a resource, with its name.
    static func link(_ resource: ResourceKey) -> HTML {
        link("\(resource.group)/\(resource.id)", .resource, InspectorLink.values(of: resource))
    }

    /// Returns a link to a row, with its type and key.
    static func link(_ row: RowKey) -> HTML {
        link("\(row.type) \(row.key)", .row, InspectorLink.values(of: row))
    }

    /// Returns a link to a write, with the beginning of its identity.
    static func link(write id: UUIDBytes) -> HTML {
        link(String(id.description.prefix(8)), .write, [("id", id.description)])
    }

    /// Returns a point in time and how long ago it was, or how far ahead it is; a dash where there is none.
    static func time(_ milliseconds: Int64?, now: Int64) -> HTML {
        guard let milliseconds else { return "–" }
        if milliseconds == 0 { return "not stated" }
        let text = timeText(milliseconds)
        let (distance, isTooFar) = now.subtractingReportingOverflow(milliseconds)
        let relative =
            isTooFar ? "" : distance < 0 ? ", in \(durationText(0 &- distance))" : ", \(durationText(distance)) ago"
        // A date and a clock time, which are not broken within.
        let shown: HTML =
            text.count == 24
            ? "<span>\(String(text.prefix(10)))</span> <span>\(String(text.dropFirst(11).prefix(8)))</span>" : "\(text)"
        return "<time datetime=\"\(text)\">\(shown)\(relative)</time>"
    }

    /// Returns a number of bytes in a readable unit, with the exact number beside it.
    static func size(_ bytes: Int64) -> HTML { "<span title=\"\(bytes) bytes\">\(sizeText(bytes))</span>" }

    /// Returns a notice about resources that a page cannot show.
    static func damaged(resources count: Int) -> HTML {
        if count == 0 { return "" }
        let what = countText(count, "resource with a damaged record is", "resources with damaged records are")
        return "<p class=\"bad\">\(what) not listed: see \(link("Problems", .problems)).</p>"
    }

    /// Returns a notice about filters that a page cannot show.
    static func damaged(_ filters: [DamagedFilter], _ context: PageContext) -> HTML {
        if filters.isEmpty { return "" }
        let names = filters.map { $0.name(context.redactor) }.joined(separator: ", ")
        return
            "<p class=\"bad\">Not listed, because a record is damaged: \(names). See \(link("Problems", .problems)).</p>"
    }

    /// Returns a table of filters with the reason of their state, and a notice about those that cannot be shown.
    static func filters(
        _ caption: String, _ filters: [(state: FilterState, readiness: FilterReadiness)], damaged: [DamagedFilter],
        _ reasons: FilterReasons, _ context: PageContext, empty: String
    ) -> HTML {
        let rows = filters.map { state, readiness -> [HTML] in
            [
                link(state.filter, .sync, [("filter", state.filter)]), time(readiness.syncedAt, now: context.now),
                "\(reasons.sentence(state, readiness))",
            ]
        }
        let columns: [PageColumn] = [.text("Filter"), .text("Synced"), .text("Why, and what makes it go on")]
        return """
            \(table(caption, columns, rows, empty: damaged.isEmpty ? empty : "No other filter."))
            \(HTML.damaged(damaged, context))
            """
    }

    /// Returns the links to the beginning and to the next part of a list; nothing where a page shows all of it.
    static func paging(
        _ page: InspectorPage, _ values: [(String, String?)], next: [(String, String?)]?, _ context: PageContext
    ) -> HTML {
        if next == nil, !context.isLaterPart { return "" }
        let following = next.map { next -> HTML in " \(link("Next", page, values + next))" } ?? ""
        return "<p class=\"paging\">\(link("First", page, values))\(following)</p>"
    }
}

extension PageContext {
    /// Whether the query asks for another part of a list than the first.
    var isLaterPart: Bool { query["from"] != nil || query["after"] != nil }

    /// Returns the part of a list that the query asks for, and the values that lead to the next part; nil at the end.
    func part<Element>(_ all: [Element], _ limit: Int) -> (shown: ArraySlice<Element>, next: [(String, String?)]?) {
        let start = max(0, query.filled("from").flatMap { Int($0) } ?? 0)
        // The list may have become shorter since the page before.
        let shown = all.dropFirst(start < all.count ? start : 0).prefix(limit)
        return (shown, shown.endIndex < all.count ? [("from", String(shown.endIndex))] : nil)
    }
}

extension InspectorLink {
    /// The values that name a resource.
    static func values(of resource: ResourceKey) -> [(String, String?)] {
        [("group", resource.group), ("id", String(resource.id))]
    }

    /// The values that name a row.
    static func values(of row: RowKey) -> [(String, String?)] {
        values(of: row.resource) + [("type", row.type), ("key", row.key)]
    }
}

/// A payload as a page shows it.
struct PayloadText: Hashable, Sendable {
    /// The lines; of JSON one for each member.
    let lines: [String]

    /// The most bytes that are shown of a payload.
    static let limit = 256 << 10

    /// - Parameter total: the number of bytes where `payload` is only the beginning; nil where it is all.
    init(_ payload: [UInt8], _ codec: PayloadCodec, total: Int64? = nil) {
        let count = total ?? Int64(payload.count)
        let isLong = count > Self.limit
        if codec == .json, !isLong, let value = PrettyJSON.lines(payload) {
            lines = value
        } else if let text = String(validating: payload.prefix(Self.limit), as: UTF8.self) {
            lines =
                text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
                + (isLong ? ["… of \(count) bytes"] : [])
        } else {
            lines =
                ["\(count) bytes that are no text:"]
                + stride(from: 0, to: min(payload.count, 1024), by: 16).map { start in
                    payload[start..<min(start + 16, payload.count)].map {
                        $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16)
                    }
                    .joined(separator: " ")
                }
        }
    }

    /// Returns the text, in which the lines that `other` has not are marked.
    func html(marking other: PayloadText? = nil) -> HTML {
        var marked: Set<Int> = []
        // The comparison costs time in proportion to lines times differences.
        if let other, lines.count <= 2_000, other.lines.count <= 2_000 {
            for change in lines.difference(from: other.lines) {
                if case .insert(let offset, _, _) = change { marked.insert(offset) }
            }
        }
        let parts = lines.enumerated().map { index, line -> HTML in
            marked.contains(index) ? "<mark>\(line)</mark>\n" : "\(line)\n"
        }
        return "<pre tabindex=\"0\">\(parts)</pre>"
    }
}
