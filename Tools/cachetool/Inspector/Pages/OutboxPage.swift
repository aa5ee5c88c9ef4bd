import LarderFormat
import LarderStore

/// The writes that are not accepted yet, by lane, with the next attempt and why.
enum OutboxPage {
    /// The writes of one page.
    private static let limit = 300

    static func content(_ context: PageContext, _ view: borrowing ReadView) throws -> PageContent {
        let (entries, damaged) = try view.readableOutboxHeads()
        let wait = try view.serverWait(for: .outbox, now: context.now)
        let session = try view.session()
        let reasons = WaitReasons(session, entries, wait, now: context.now, context.redactor)
        let wanted = context.query.filled("lane")
        var body: HTML = "<p>\(countText(entries.count, "write")) in the outbox. \(account(session))</p>"
        if let wait {
            body +=
                "<p class=\"bad\">The server requested a wait: nothing is sent \(HTML.time(wait, now: context.now)).</p>"
        }
        if damaged > 0 {
            body += """
                <p class="bad">\(countText(damaged, "write is", "writes are")) damaged and not listed: see \
                \(HTML.link("Problems", .problems)).</p>
                """
        }
        let (shown, next) = context.part(entries.filter { wanted == nil || $0.lane == wanted }, limit)
        let lanes = Dictionary(grouping: shown, by: \.lane)
        for lane in lanes.keys.sorted() {
            body += .table(
                "Lane \(lane), in the order it is sent", columns(context),
                (lanes[lane] ?? []).map { row($0, reasons, context) })
        }
        if entries.isEmpty, damaged == 0 { body += "<p class=\"empty\">Every write was accepted.</p>" }
        body += .paging(.outbox, [("lane", wanted)], next: next, context)
        return PageContent(title: "Outbox", body: body)
    }

    private static func account(_ session: StoredSession?) -> HTML {
        guard let session else { return "The app has no accounts." }
        return "Session: \(String(describing: session.state)), account \(session.account ?? "none")."
    }

    private static func columns(_ context: PageContext) -> [PageColumn] {
        let columns: [PageColumn] = [
            .text("Write"), .text("Request"), .text("Made"), .number("Size"), .text("State"), .number("Tries"),
            .text("Next try"), .text("Why, and what makes it go on"),
        ]
        return columns + (context.allowsChanges ? [.text("Actions")] : [])
    }

    private static func row(_ entry: OutboxEntry, _ reasons: WaitReasons, _ context: PageContext) -> [HTML] {
        let delivery = entry.delivery
        let error = delivery.lastError.map { error -> HTML in "<br>Last error: \(error)" } ?? ""
        let cells: [HTML] = [
            .link(write: entry.id), "\(entry.method) \(entry.endpoint)<br>\(entry.mutationType)",
            .time(entry.createdAt, now: context.now), .size(entry.bodyBytes), "\(String(describing: delivery.state))",
            "\(delivery.tries)", .time(delivery.dueAt, now: context.now), "\(reasons.sentence(entry))\(error)",
        ]
        return cells + (context.allowsChanges ? [actions(entry)] : [])
    }

    /// Returns the forms that retry and drop a write.
    static func actions(_ entry: OutboxEntry) -> HTML {
        let id: HTML = "<input type=\"hidden\" name=\"entry\" value=\"\(entry.id.description)\">"
        let retry: HTML =
            entry.delivery.state.isDeadLetter
            ? "<form method=\"post\" action=\"./retry\">\(id)<button>Retry</button></form>" : ""
        let drop: HTML =
            entry.delivery.state == .sending
            ? ""
            : """
            <details><summary>Drop…</summary><p>Its effect on rows is undone, it is never sent, and what came after it is \
            rejected.</p><form method="post" action="./drop">\(id)<button class="danger">Drop this write</button></form></details>
            """
        return "\(retry)\(drop)"
    }
}
