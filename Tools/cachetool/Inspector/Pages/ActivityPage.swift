import LarderFormat
import LarderStore

/// The past events, the newest first: runs, changes of resources, outcomes of writes, conflicts and evictions.
enum ActivityPage {
    /// The events of one page.
    private static let limit = 300

    private struct Event {
        let time: Int64
        let kind: String
        let what: HTML
    }

    static func content(_ context: PageContext, _ view: borrowing ReadView) throws -> PageContent {
        let kind = context.query.filled("kind")
        let (filters, damagedFilters) = try view.readableFilterStates()
        let (resources, damagedResources) = try view.readableResources()
        var events = try journal(view) + changes(resources) + runs(filters.map(\.state))
        if let kind { events.removeAll { $0.kind != kind } }
        events.sort { $0.time > $1.time }
        let (shown, next) = context.part(events, limit)
        let kinds = ["write", "conflict", "eviction", "run", "resource", "event"].map { name -> HTML in
            "\(HTML.link(name, .activity, [("kind", name)])) "
        }
        return PageContent(
            title: "Activity",
            body: """
                <p>Show \(HTML.link("all", .activity)) \(kinds)</p>
                \(HTML.damaged(damagedFilters, context))
                \(HTML.damaged(resources: damagedResources))
                \(HTML.table(
                    "The newest first", [.text("Time"), .text("Kind"), .text("What")],
                    shown.map { event in
                        [.time(event.time, now: context.now), "\(event.kind)", event.what]
                    }, empty: "Nothing happened yet."))
                \(HTML.paging(.activity, [("kind", kind)], next: next, context))
                <p class="hint">The store keeps the newest thousand outcomes, conflicts and evictions, the latest \
                runs of each filter, and the last change of each resource.</p>
                """)
    }

    private static func journal(_ view: borrowing ReadView) throws -> [Event] {
        var events: [Event] = []
        var last: [UInt8]?
        while true {
            let page = try view.rawRecords(of: .journal, after: last)
            guard let end = page.last else { return events }
            last = end.key
            for record in page {
                let line = try JournalLine(record)
                events.append(Event(time: line.time, kind: word(line.kind), what: text(line)))
            }
        }
    }

    private static func word(_ kind: String) -> String {
        switch kind {
        case "outcome": "write"
        case "conflict": "conflict"
        case "evicted", "evicted-collections": "eviction"
        default: "event"
        }
    }

    private static func text(_ line: JournalLine) -> HTML {
        if let sentence = sentence(line) { return sentence }
        let parts = line.namedValues.map { name, value -> HTML in "\(name) <strong>\(value)</strong> " }
        return "\(line.kind): \(parts)"
    }

    /// Returns an outcome or an eviction in words; nil for another kind.
    private static func sentence(_ line: JournalLine) -> HTML? {
        let values = Dictionary(line.namedValues.map { ($0.name, $0.value) }) { first, _ in first }
        func value(_ name: String) -> String { values[name].flatMap { $0 == "-" ? nil : $0 } ?? "" }
        switch line.kind {
        case "outcome":
            guard let id = UUIDBytes(value("entry")) else { return nil }
            // A rejected write stays in the outbox; the others have left it.
            let isThere = value("outcome") == "rejected"
            let name: HTML = isThere ? .link(write: id) : "\(String(id.description.prefix(8)))"
            let reason = value("detail").isEmpty ? "" : ": \(value("detail"))"
            return "write \(name) of lane \(value("lane")) was <strong>\(value("outcome"))</strong>\(reason)"
        case "evicted":
            guard let bytes = Int64(value("bytes")) else { return nil }
            let isResource = value("what") == "resource"
            let what = isResource ? "\(value("group"))/\(value("id"))" : "\(value("count")) responses"
            let why = value("reason") == "cap" ? "to free space" : "at the app's request"
            return "<strong>\(what)</strong> (\(sizeText(bytes))) dropped \(why)"
        default: return nil
        }
    }

    private static func changes(_ resources: [Resource]) -> [Event] {
        resources.compactMap { resource in
            resource.changedAt.map { time in
                Event(time: time, kind: "resource", what: "the server changed \(HTML.link(resource.key))")
            }
        }
    }

    private static func runs(_ filters: [FilterState]) -> [Event] {
        filters.flatMap { state in
            let name = HTML.link(state.filter, .sync, [("filter", state.filter)])
            return state.runs.map { runs in
                Event(time: runs.endedAt, kind: "run", what: "\(name): \(RunTimeline.sentence(runs))")
            }
        }
    }
}
