public import HTTPTypes
internal import LarderTransport
internal import Synchronization

/// The answers of a ``ScriptedTransport`` to requests of one method and path, in order; the last one repeats.
///
/// ```swift
/// transport.on(.put, "/notes/*").answer(503).then(200)  // the first PUT fails, every later one succeeds
/// transport.on(.get, "/headlines").answer(200, "all quiet", [.cacheControl: "max-age=60"])
/// ```
public final class ScriptedRoute: Sendable {
    private struct Answer {
        var status: Int
        var body: [UInt8]
        var fields: HTTPFields
    }

    private struct State {
        var answers: [Answer] = []
        var next = 0
    }

    let method: HTTPRequest.Method
    private let segments: [Substring]
    private let state = Mutex(State())

    init(_ method: HTTPRequest.Method, _ pattern: String) {
        precondition(pattern.hasPrefix("/"), "the path \(pattern) begins with no slash")
        self.method = method
        segments = pattern.split(separator: "/", omittingEmptySubsequences: false)
    }

    /// Adds an answer.
    ///
    /// - Parameters:
    ///   - status: The status code, 100 to 999.
    ///   - body: The text of the body.
    ///   - fields: The header fields; JSON is declared as such when they name no content type.
    @discardableResult
    public func answer(_ status: Int, _ body: String = "", _ fields: HTTPFields = [:]) -> ScriptedRoute {
        precondition((100...999).contains(status), "a status of \(status)")
        var fields = fields
        if fields[.contentType] == nil, body.hasPrefix("{") || body.hasPrefix("[") {
            fields[.contentType] = "application/json"
        }
        state.withLock { $0.answers.append(Answer(status: status, body: Array(body.utf8), fields: fields)) }
        return self
    }

    /// Adds the answer to the next request, as ``answer(_:_:_:)``.
    @discardableResult
    public func then(_ status: Int, _ body: String = "", _ fields: HTTPFields = [:]) -> ScriptedRoute {
        answer(status, body, fields)
    }

    /// Whether the route answers a request; `*` in its pattern is any one segment of the path, and queries are ignored.
    func matches(_ request: HTTPRequest) -> Bool {
        guard request.method == method, let path = request.path else { return false }
        let found = path.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
        return found.count == segments.count && zip(found, segments).allSatisfy { $1 == "*" || $0 == $1 }
    }

    /// Returns the next answer; 200 without a body where the script has none.
    func response() -> TransportResponse {
        let answer = state.withLock { state -> Answer? in
            guard let last = state.answers.last else { return nil }
            defer { state.next += 1 }
            return state.next < state.answers.count ? state.answers[state.next] : last
        }
        guard let answer else { return TransportResponse(status: .ok) }
        return TransportResponse(
            status: .init(code: answer.status), headers: answer.fields, body: answer.body)
    }
}
