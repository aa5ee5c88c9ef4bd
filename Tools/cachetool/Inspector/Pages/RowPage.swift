import LarderFormat
import LarderStore

/// One row: what the server sent, what local writes change of it, and what an app reads.
enum RowPage {
    static func content(_ context: PageContext, _ view: borrowing ReadView) throws -> PageContent {
        let key = try context.row()
        guard try view.resource(key.resource) != nil else {
            throw ToolError.notFound("The store has no resource \(key.resource.group)/\(key.resource.id).")
        }
        let server: Version? = if let row = try view.serverRow(at: key) { Version(row) } else { nil }
        let shown: Version? = if let row = try view.row(at: key) { Version(row) } else { nil }
        let overlays = try view.overlays(at: key)
        if server == nil, shown == nil, overlays.isEmpty {
            throw ToolError.notFound("The resource \(key.resource.group)/\(key.resource.id) has no such row.")
        }
        var body: HTML = "<p>In \(HTML.link(key.resource)).</p>"
        if overlays.isEmpty {
            body += panel("What an app reads: the server's row", shown, nil, context.now)
        } else {
            body += """
                <div class="panels">
                \(panel("From the server", server, shown, context.now))
                \(panel("What an app reads", shown, server, context.now))
                </div>
                \(writes(overlays, context.now))
                """
        }
        body += "<h2>Why it is here</h2>"
        body += try ResourcePage.filters(of: key.resource, context, view)
        let collections = try view.collections(holding: key)
        if !collections.isEmpty {
            body += .table(
                "Collections that hold it", CollectionsPage.columns,
                collections.map { CollectionsPage.row($0, context.now) })
        }
        return PageContent(title: "\(key.type) \(key.key)", body: body)
    }

    private struct Version: Sendable {
        let updatedAt: Int64
        let text: PayloadText
        let size: Int

        init(_ row: borrowing Row) {
            let payload = [UInt8](copying: row.payload)
            updatedAt = row.updatedAt
            text = PayloadText(payload, row.codec)
            size = payload.count
        }
    }

    /// Returns a payload with the lines marked that the other version has not.
    private static func panel(_ title: String, _ version: Version?, _ other: Version?, _ now: Int64) -> HTML {
        guard let version else { return "<section><h2>\(title)</h2><p class=\"empty\">There is no row.</p></section>" }
        return """
            <section><h2>\(title)</h2>
            <p>Changed \(HTML.time(version.updatedAt, now: now)), \(HTML.size(Int64(version.size)))</p>
            \(version.text.html(marking: other?.text))</section>
            """
    }

    private static func writes(_ overlays: [Overlay], _ now: Int64) -> HTML {
        let rows = overlays.map { overlay -> [HTML] in
            let write: HTML = overlay.entryID.map { .link(write: $0) } ?? "–"
            let state: HTML =
                overlay.isConfirmed ? "accepted; shown until a sync brings the server's row" : "not accepted yet"
            return ["\(overlay.sequence)", write, change(overlay), .time(overlay.updatedAt, now: now), state]
        }
        return .table(
            "Local changes, the last one is shown",
            [.number("Order"), .text("Write"), .text("Change"), .text("Made"), .text("State")], rows)
    }

    private static func change(_ overlay: Overlay) -> HTML {
        switch overlay.change {
        case .removal: "removes the row"
        case .patch(let patch): "merge patch \(PayloadText(patch, .json).html())"
        case .replacement(let payload, let codec): "replaces the row by \(PayloadText(payload, codec).html())"
        }
    }
}
