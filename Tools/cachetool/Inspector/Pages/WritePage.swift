import LarderFormat
import LarderStore

/// One write of the outbox: its request, its delivery, and the rows that it changes.
enum WritePage {
    static func content(_ context: PageContext, _ view: borrowing ReadView) throws -> PageContent {
        guard let id = context.query["id"].flatMap({ UUIDBytes($0) }) else {
            throw ToolError.usage("The address names no write.")
        }
        guard let entry = try view.outboxEntry(id) else {
            throw ToolError.notFound(
                "The outbox has no write \(id): it was accepted, dropped or superseded; see Activity.")
        }
        let wait = try view.serverWait(for: .outbox, now: context.now)
        let reasons = WaitReasons(
            try view.session(), try view.readableOutboxHeads().entries, wait, now: context.now, context.redactor)
        var body: HTML = "<p class=\"why\">\(reasons.sentence(entry))</p>"
        if context.allowsChanges { body += OutboxPage.actions(entry) }
        body += .facts(facts(entry, context.now))
        body += .table(
            "Rows that it changes", [.text("Row"), .text("Resource")],
            entry.rows.map { [.link($0), .link($0.resource)] }, empty: "It changes no row of this store.")
        body += .table(
            "Header fields", [.text("Name"), .text("Value")],
            entry.draft.fields.map { ["\($0.name)", "\(String(decoding: $0.value, as: UTF8.self))"] },
            empty: "It has no header fields of its own.")
        if let blob = entry.draft.blob {
            body += "<h2>Content</h2><p>A file of \(HTML.size(blob.byteCount)).</p>"
        } else {
            body += "<h2>Content</h2>\(PayloadText(entry.payload, .json).html())"
        }
        return PageContent(title: "Write \(String(id.description.prefix(8)))", body: body)
    }

    private static func facts(_ entry: OutboxEntry, _ now: Int64) -> [(String, HTML)] {
        let (draft, delivery) = (entry.draft, entry.delivery)
        let after = draft.after.map { id -> HTML in "\(HTML.link(write: id)) " }
        return [
            ("Identity and idempotency key", "\(entry.id.description)"),
            ("Request", "\(entry.method) \(entry.endpoint)"),
            ("Kind", "\(entry.mutationType)"),
            ("Lane", "\(HTML.link(entry.lane, .outbox, [("lane", entry.lane)])), number \(entry.sequence)"),
            ("Account", "\(draft.account ?? "–")"), ("Made", .time(entry.createdAt, now: now)),
            ("State", "\(String(describing: delivery.state))"),
            ("Tries", "\(delivery.tries); \(delivery.attempts) of \(draft.mostAttempts) attempts are used"),
            ("Last try", .time(delivery.lastTriedAt, now: now)), ("Next try", .time(delivery.dueAt, now: now)),
            ("Last status", "\(delivery.lastStatus.map { String($0) } ?? "–")"),
            ("Last error", "\(delivery.lastError ?? "–")"),
            ("The server may have it", delivery.isInDoubt ? "yes" : "no"),
            ("Sent after", after.isEmpty ? "–" : "\(after)"),
        ]
    }
}
