import Foundation
import LarderFormat
import LarderHTTP
import LarderStore

/// The stored HTTP responses, with their freshness.
enum ResponsesPage {
    /// The responses of one page, and the most that are read to find them.
    private static let (limit, examined) = (100, 20_000)

    static func content(_ context: PageContext, _ view: borrowing ReadView) throws -> PageContent {
        let part = context.query.filled("contains")
        var place = context.query["after"].flatMap { ResponseAddress(text: $0) }
        var found: [ResponseEntry] = []
        var count = 0
        while found.count < limit, count < examined {
            let batch = try view.responses(after: place, limit: limit)
            if batch.isEmpty { break }
            count += batch.count
            for entry in batch where found.count < limit {
                place = entry.place
                if part.map({ entry.record.key.contains($0) }) ?? true { found.append(entry) }
            }
        }
        let hasMore = try !view.responses(after: place, limit: 1).isEmpty
        let next = hasMore ? place.map { [("after", Optional($0.text))] } : nil
        return PageContent(
            title: "HTTP responses",
            body: """
                <form action="./responses" class="line">
                <label>Address contains <input name="contains" value="\(part ?? "")"></label><button>Show</button></form>
                \(HTML.table(
                    "Stored responses", [
                        .text("Address"), .number("Status"), .number("Size"), .text("Received"), .text("Last used"),
                        .text("Freshness"),
                    ], found.map { row($0, context.now) },
                    empty: empty(part, context)))
                \(HTML.paging(.responses, [("contains", part)], next: next, context))
                """)
    }

    private static func empty(_ part: String?, _ context: PageContext) -> String {
        if context.isLaterPart { return "There are no more." }
        return part == nil ? "The store has no HTTP responses." : "No address that was looked at contains this text."
    }

    private static func row(_ entry: ResponseEntry, _ now: Int64) -> [HTML] {
        let record = entry.record
        return [
            .link("\(record.method) \(record.key)", .response, [("at", entry.place.text)]), "\(record.status)",
            .size(record.byteCount), .time(record.receivedAt, now: now), .time(record.lastUsedAt, now: now),
            "\(ResponsePage.summary(record, now))",
        ]
    }
}

/// One stored response, and why it is used or not.
enum ResponsePage {
    static func content(_ context: PageContext, _ view: borrowing ReadView) throws -> PageContent {
        guard let place = context.query["at"].flatMap({ ResponseAddress(text: $0) }) else {
            throw ToolError.usage("The address names no response.")
        }
        guard let record = try view.response(at: place) else {
            throw ToolError.notFound("The response is not stored any more: it was replaced or dropped.")
        }
        let fields = record.fields.map { field -> [HTML] in
            ["\(field.name)", "\(String(decoding: field.value, as: UTF8.self))"]
        }
        return PageContent(
            title: "Response",
            body: """
                <p class="path">\(record.method) \(record.url)</p>
                \(HTML.table(
                    "Freshness", [.text("Fact"), .text("Value"), .text("Reason")], freshness(record, context.now),
                    empty: "The response holds values that no HTTP message has."))
                \(HTML.facts([
                    ("Status", "\(record.status)"), ("Size", .size(record.byteCount)),
                    ("Received", .time(record.receivedAt, now: context.now)),
                    ("Last used", .time(record.lastUsedAt, now: context.now)),
                    ("Pinned", record.isPinned ? "yes: never dropped for space" : "no"),
                    ("Tags", "\(record.tags.isEmpty ? "–" : record.tags.joined(separator: ", "))"),
                    ("Varies by", "\(record.selecting.isEmpty ? "–" : record.selecting.map(\.name).joined(separator: ", "))"),
                ]))
                \(HTML.table("Header fields", [.text("Name"), .text("Value")], fields))
                <h2>Body</h2>
                \(body(record, context.store, view))
                """)
    }

    /// Returns the beginning of the body: JSON by its members, other text as it is, other bytes as numbers.
    private static func body(_ record: ResponseRecord, _ store: Store, _ view: borrowing ReadView) -> HTML {
        do {
            guard let body = try view.hold(record.blob, in: store) else {
                return "<p class=\"empty\">The body is not in this file.</p>"
            }
            var bytes: [UInt8] = []
            try body.read(0..<min(body.byteCount, Int64(PayloadText.limit))) { bytes += [UInt8](copying: $0) }
            let type = record.fields.first { $0.name.lowercased() == "content-type" }
            let isJSON = type.map { String(decoding: $0.value, as: UTF8.self).contains("json") } ?? false
            return PayloadText(bytes, isJSON ? .json : .opaque, total: body.byteCount).html()
        } catch {
            return "<p class=\"empty\">The body cannot be read: \(String(describing: error)).</p>"
        }
    }

    /// Returns the freshness of a response in a few words.
    static func summary(_ record: ResponseRecord, _ now: Int64) -> String {
        guard let response = StoredResponse(record) else { return "unreadable" }
        let freshness = CachePolicy().freshness(of: response, at: now)
        if freshness.needsValidation { return "validated before every use" }
        if freshness.isFresh { return "fresh for \(durationText(freshness.lifetime - freshness.age))" }
        return "stale since \(durationText(freshness.age - freshness.lifetime))"
    }

    private static func freshness(_ record: ResponseRecord, _ now: Int64) -> [[HTML]] {
        guard let response = StoredResponse(record) else { return [] }
        let found = CachePolicy().freshness(of: response, at: now)
        let source: HTML =
            switch found.source {
            case .maxAge: "Cache-Control: max-age (RFC 9111 §5.2.2.1)"
            case .expires: "Expires (RFC 9111 §5.3)"
            case .heuristic: "a tenth of the time since Last-Modified (RFC 9111 §4.2.2)"
            case .host: "the app"
            case .none: "the response states none"
            }
        var rows: [[HTML]] = [
            ["State", "\(summary(record, now))", state(found, record)],
            ["Age", "\(durationText(found.age))", "time since the server made it (RFC 9111 §4.2.3)"],
            ["Lifetime", "\(durationText(found.lifetime))", source],
        ]
        if found.staleWhileRevalidate > 0 {
            rows.append([
                "Shown stale while it is validated", "\(durationText(found.staleWhileRevalidate))",
                "stale-while-revalidate (RFC 5861 §3)",
            ])
        }
        if let error = found.staleIfError {
            rows.append(["Used stale when the server fails", "\(durationText(error))", "stale-if-error (RFC 5861 §4)"])
        }
        return rows
    }

    private static func state(_ freshness: Freshness, _ record: ResponseRecord) -> HTML {
        if record.demand == .validation { return "a write to this address, or the app, invalidated it" }
        if freshness.needsValidation { return "no-cache, or a Vary of *" }
        if freshness.mustRevalidate { return "must-revalidate: never used stale" }
        return freshness.isFresh
            ? "used without a request" : "validated with the server; offline it may be used stale"
    }
}
