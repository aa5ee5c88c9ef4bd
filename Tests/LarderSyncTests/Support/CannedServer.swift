// CannedServer: a transport that returns the responses a test prepares, including invalid ones.

import HTTPTypes
import LarderTransport
import Synchronization

/// A server that sends the answers a test gives it, also those no honest server would send.
///
/// Requests go by short names: `bootstrap`, `token T`, `cursor C` for pages, `translations/19` for snapshots.
final class CannedServer: Transport {
    /// One answer.
    struct Answer: Sendable {
        var status = 200
        var headers: HTTPFields = [:]
        var body: [UInt8]
    }

    private struct State {
        var answers: [String: [Answer]] = [:]
        var requests: [HTTPRequest] = []
        var names: [String] = []
    }

    private let state = Mutex(State())

    /// What was asked, by short names.
    var names: [String] { state.withLock { $0.names } }

    /// What was asked, whole.
    var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// Sets the answers to requests of a name: one after the other, the last one again and again.
    func on(_ name: String, _ bodies: String...) {
        on(name, bodies.map { Answer(body: Array($0.utf8)) })
    }

    func on(_ name: String, status: Int, headers: HTTPFields = [:], _ body: String) {
        on(name, [Answer(status: status, headers: headers, body: Array(body.utf8))])
    }

    func on(_ name: String, _ answers: [Answer]) {
        state.withLock { $0.answers[name] = answers }
    }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        if Task.isCancelled { throw .cancelled }
        let name = Self.name(request.path ?? "")
        let answer = state.withLock { state -> Answer? in
            state.requests.append(request)
            state.names.append(name)
            guard let answers = state.answers[name], let first = answers.first else { return nil }
            if answers.count > 1 { state.answers[name] = Array(answers.dropFirst()) }
            return first
        }
        guard let answer else {
            return TransportResponse(status: .notFound, body: Array(#"{"message":"","type":"not_found"}"#.utf8))
        }
        return TransportResponse(status: .init(code: answer.status), headers: answer.headers, body: answer.body)
    }

    /// The short name of a request.
    static func name(_ path: String) -> String {
        if let copy = path.stripping("/content/api/v4/resources/snapshots/") { return copy }
        guard let query = path.stripping("/content/api/v4/resources/sync?") else { return path }
        for part in query.split(separator: "&").map({ String($0) }) {
            if part == "bootstrap=true" { return "bootstrap" }
            if let token = part.stripping("sync_token=") { return "token \(token)" }
            if let cursor = part.stripping("cursor=") { return "cursor \(cursor)" }
        }
        return path
    }
}

/// The body of a page.
func page(_ changes: [String] = [], until bound: Int64, cursor: String? = nil, token: String? = "T") -> String {
    let next = cursor.map { "\"/api/v4/resources/sync?cursor=\($0)\"" } ?? "null"
    let token = cursor == nil ? token.map { "\"\($0)\"" } ?? "null" : "null"
    return """
        {"sync":{"sync_until_sequence":\(bound),"has_more":\(cursor != nil),"next_page_url":\(next),\
        "next_sync_token":\(token),"mutations":[\(changes.joined(separator: ","))]}}
        """
}

/// A change of a resource; `RESOURCE_CREATE` and `RESOURCE_INVALIDATE` point at its snapshot.
func change(_ sequence: Int64, _ type: String, _ id: Int64 = 19, snapshot: String? = nil) -> String {
    let isCopy = type == "RESOURCE_CREATE" || type == "RESOURCE_INVALIDATE"
    let url = snapshot ?? (isCopy ? "/api/v4/resources/snapshots/translations/\(id)" : nil)
    return """
        {"sequence":\(sequence),"type":"\(type)","resource_group":"translations","resource_id":\(id),\
        "resource_content_id":null,"record_type":null,"record_key":null,"changed_at":"2026-05-05T10:05:00Z",\
        "data":null,"snapshot_url":\(url.map { "\"\($0)\"" } ?? "null")}
        """
}

/// A change of a row; without text its deletion.
func row(_ sequence: Int64, _ key: Int, _ text: String?, of id: Int64 = 19) -> String {
    let data = text.map { "{\"id\":\(key),\"text\":\"\($0)\"}" } ?? "null"
    return """
        {"sequence":\(sequence),"type":"\(text == nil ? "ROW_DELETE" : "ROW_UPDATE")",\
        "resource_group":"translations","resource_id":\(id),"resource_content_id":null,\
        "record_type":"translation","record_key":"\(key)","changed_at":"2026-05-05T10:05:00Z","data":\(data),\
        "snapshot_url":null}
        """
}

/// The body of a snapshot whose rows have these texts, with the keys 1, 2 and so on.
func snapshot(_ id: Int64 = 19, at sequence: Int64, _ texts: String...) -> String {
    let records = texts.enumerated().map { "{\"id\":\($0 + 1),\"text\":\"\($1)\"}" }
    return """
        {"resource_group":"translations","resource_id":\(id),"resource_content_id":null,"schema_version":1,\
        "sync_sequence":\(sequence),"records":[\(records.joined(separator: ","))]}
        """
}

/// The payload of a row of ``snapshot(_:at:_:)`` or ``row(_:_:_:of:)``.
func payload(_ key: Int, _ text: String) -> String { "{\"id\":\(key),\"text\":\"\(text)\"}" }

extension String {
    /// Returns what follows `prefix`, or nil when the text does not begin with it.
    func stripping(_ prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
