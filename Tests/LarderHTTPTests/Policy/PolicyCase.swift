// PolicyCase: messages for the tests of a policy, all about one URI and around one instant.

import HTTPTypes
import LarderFormat

@testable import LarderHTTP

/// Messages for the tests of a policy, all about one URI and around one instant.
enum PolicyCase {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    static let then: Int64 = 784_111_777_000
    static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    static let url = "https://example.test/a/b?c=d"
    static let policy = CachePolicy()

    static func fields(_ pairs: [(String, String)]) -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in pairs { fields.append(HTTPField(name: HTTPField.Name(name)!, value: value)) }
        return fields
    }

    static func request(_ method: HTTPRequest.Method = .get, _ pairs: (String, String)...) -> HTTPRequest {
        HTTPRequest(
            method: method, scheme: "https", authority: "example.test", path: "/a/b?c=d", headerFields: fields(pairs))
    }

    static func response(_ status: Int = 200, _ pairs: (String, String)...) -> HTTPResponse {
        HTTPResponse(status: .init(code: status), headerFields: fields(pairs))
    }

    /// A response that was asked for and came at ``then``.
    static func stored(
        _ pairs: (String, String)..., status: Int = 200, selecting: [SelectingField] = [],
        coverage: StoredResponse.Coverage = .whole, at: Int64 = then, isInvalidated: Bool = false
    ) -> StoredResponse {
        StoredResponse(
            method: .get, url: url, status: .init(code: status), fields: fields(pairs), requestedAt: at, receivedAt: at,
            selecting: selecting, coverage: coverage, isInvalidated: isInvalidated)
    }

    /// What is kept of a response to `request` that comes at once; nil when it is refused.
    static func storedResponse(
        _ response: HTTPResponse, to request: HTTPRequest = request(), by policy: CachePolicy = policy
    )
        -> StoredResponse?
    {
        let decision = policy.storage(of: response, to: request, url: url, requestedAt: then, receivedAt: then)
        if case .store(let stored, _) = decision { return stored }
        return nil
    }

    /// The word of the reason for which a response is kept or not.
    static func storageWord(
        _ response: HTTPResponse, to request: HTTPRequest = request(), by policy: CachePolicy = policy
    ) -> String {
        switch policy.storage(of: response, to: request, url: url, requestedAt: then, receivedAt: then) {
        case .store(_, let reason), .refuse(let reason): reason.word
        }
    }

    /// What is decided about `request`, some seconds after ``then``.
    static func reuse(
        _ request: HTTPRequest = request(), _ candidates: StoredResponse..., terms: RequestTerms = RequestTerms(),
        after seconds: Int64 = 0
    ) -> ReuseDecision {
        policy.reuse(request, url: url, among: candidates, terms: terms, at: then + seconds * 1000)
    }

    /// What is decided about an answer that comes ten seconds after ``then``.
    static func update(
        by response: HTTPResponse, to request: HTTPRequest = request(), _ candidates: StoredResponse...
    ) -> UpdateDecision {
        policy.update(candidates, by: response, to: request, requestedAt: then + 9_000, receivedAt: then + 10_000)
    }
}

extension ReuseDecision {
    /// Kind, word and candidate: `reuse fresh 0`.
    var summary: String {
        switch self {
        case .reuse(let index, _, let reason): "reuse \(reason.word) \(index)"
        case .reuseThenValidate(let index, _, _, let reason): "reuseThenValidate \(reason.word) \(index)"
        case .validate(let index, _, _, let reason): "validate \(reason.word) \(index)"
        case .forward(_, let reason): "forward \(reason.word)"
        case .unsatisfiable(let reason): "unsatisfiable \(reason.word)"
        }
    }

    /// The request to send, if one is.
    var request: HTTPRequest? {
        switch self {
        case .reuseThenValidate(_, _, let request, _), .validate(_, _, let request, _), .forward(let request, _):
            request
        case .reuse, .unsatisfiable: nil
        }
    }
}

extension UpdateDecision {
    /// Kind, word and candidates: `refresh confirmed [0]`.
    var summary: String {
        switch self {
        case .refresh(let refreshes, let reason): "refresh \(reason.word) \(refreshes.map(\.index))"
        case .markStale(let indices, let reason): "stale \(reason.word) \(indices)"
        case .repeatUnconditionally(let reason): "repeat \(reason.word)"
        case .combine(let refresh, let reason): "combine \(reason.word) [\(refresh.index)]"
        case .none(let reason): "none \(reason.word)"
        }
    }

    /// The responses to keep from now on.
    var responses: [StoredResponse] {
        switch self {
        case .refresh(let refreshes, _): refreshes.map(\.response)
        case .combine(let refresh, _): [refresh.response]
        case .markStale, .repeatUnconditionally, .none: []
        }
    }
}
