import Foundation
import LarderFormat
import LarderStore

/// Answers requests for pages about one open store.
///
/// Every page is made from one read view, and written when the view has ended. Nothing here knows about connections.
struct Inspector: Sendable {
    /// The store.
    let store: Store
    /// The directory of the store.
    let path: String
    /// The first part of every path. A request without it gets no page.
    let token: String
    /// The port that requests must name in `Host`.
    let port: Int
    /// Whether forms may change the outbox.
    let allowsChanges: Bool
    /// What the store is a diagnostic copy of; nil for a store itself.
    var diagnostics: DiagnosticsRecord?
    /// Returns the present time, in milliseconds since 1970-01-01 UTC.
    var now: @Sendable () -> Int64 = { Filters.now() }
    /// The time zone in which a day begins.
    var timeZone = TimeZone.current

    /// Returns the response to a request; never fails.
    func respond(to request: InspectorRequest) -> InspectorResponse {
        if let refusal = refusal(of: request) { return refusal }
        let sides = request.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let name = sides[0].dropFirst(token.utf8.count + 2)
        let query = FormValues(parsing: sides.count > 1 ? sides[1] : "")
        do {
            if request.method == "POST" { return try change(String(name), request) }
            switch name {
            case "style.css": return .text(InspectorAssets.style, type: "text/css; charset=utf-8")
            case "script.js": return .text(InspectorAssets.script, type: "text/javascript; charset=utf-8")
            case "icon.svg": return .text(InspectorAssets.icon, type: "image/svg+xml")
            case "commit": return .text(String(try store.read { view in view.commit }))
            default: break
            }
            guard let page = InspectorPage(rawValue: String(name)) else {
                return failure(404, "There is no such page.")
            }
            // The file of a store that was removed or replaced stays open, and would be shown for ever.
            if store.isGone {
                return failure(410, "The store was removed or replaced since the tool was started: start it again.")
            }
            return try respond(with: page, query)
        } catch {
            return failure(error)
        }
    }

    private func respond(with page: InspectorPage, _ query: FormValues) throws -> InspectorResponse {
        let frame = frame(of: page)
        let context = PageContext(
            store: store, path: path, query: query, now: diagnostics?.time ?? now(), timeZone: timeZone,
            allowsChanges: allowsChanges, diagnostics: diagnostics)
        let (content, commit) = try page.content(context)
        return .text(frame.html(content, commit: commit).text, type: "text/html; charset=utf-8")
    }

    private func frame(of page: InspectorPage?) -> PageFrame {
        let mode = diagnostics != nil ? "diagnostic copy" : allowsChanges ? "changes allowed" : "read-only"
        return PageFrame(page: page, store: path, mode: mode)
    }

    /// Returns the page of an error: what is wrong, and what to do.
    func failure(_ error: any Error) -> InspectorResponse {
        if case ToolError.notFound(let text) = error { return failure(404, text) }
        if case ToolError.usage(let text) = error { return failure(400, text) }
        if case StoreError.invalid = error { return failure(400, "The address names what no store holds: \(error)") }
        return failure(500, "\(error)")
    }

    /// Returns the page of a failure.
    func failure(_ status: Int, _ text: String) -> InspectorResponse {
        let frame = frame(of: nil)
        let content = PageContent(
            title: status == 404 ? "Not found" : "This page cannot be shown",
            body: "<p role=\"alert\">\(text)</p><p><a href=\".\">Back to the overview</a></p>")
        return .text(frame.html(content, commit: nil).text, status: status, type: "text/html; charset=utf-8")
    }
}

// MARK: - What may be answered

extension Inspector {
    /// Returns the refusal of a request that does not come from the inspector's own pages, or does not know the token.
    func refusal(of request: InspectorRequest) -> InspectorResponse? {
        let hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
        // A page of another site reaches this port by a name of its own (DNS rebinding).
        guard let host = request.host, hosts.contains(host.lowercased()) else {
            return .text("Open the address that cachetool printed.\n", status: 421)
        }
        guard knowsToken(request.target) else {
            return .text("Open the address that cachetool printed: it holds a token.\n", status: 403)
        }
        // Following a link from another page is refused too: pages of the inspector have no links from outside.
        if let site = request.fetchSite, site != "same-origin", site != "none" { return foreign }
        if let origin = request.origin, !hosts.contains(where: { "http://\($0)" == origin }) { return foreign }
        switch request.method {
        case "GET", "HEAD": return nil
        case "POST" where request.origin == nil: return foreign
        case "POST" where !allowsChanges:
            return failure(403, "Nothing may be changed: start 'cachetool inspect' with --allow-changes.")
        case "POST": return nil
        default: return .text("Only GET and POST are answered.\n", status: 405)
        }
    }

    private var foreign: InspectorResponse {
        .text("Only the inspector's own pages may request this.\n", status: 403)
    }

    /// Whether a target begins with the token and a slash. Takes the same time wherever the first difference is.
    private func knowsToken(_ target: String) -> Bool {
        let start = Array("/\(token)/".utf8)
        let found = Array(target.utf8.prefix(start.count))
        guard found.count == start.count else { return false }
        return zip(start, found).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
