// Conversions between the library's types and those of the model: milliseconds here, seconds there.

import HTTPTypes
import LarderHTTP

// The library's words for what the model says. Milliseconds here, seconds there.
extension ModelFields {
    var library: HTTPFields {
        var fields = HTTPFields()
        for line in lines {
            if let name = HTTPField.Name(line.name) { fields.append(HTTPField(name: name, value: line.value)) }
        }
        return fields
    }

    init(_ fields: HTTPFields) {
        self.init(fields.map { ($0.name.rawName, $0.value) })
    }

    /// Names in lower case and values without whitespace at the ends, lines of a name in their order.
    var grouped: [String: [String]] {
        Dictionary(grouping: lines, by: { $0.name.lowercased() }).mapValues { $0.map(\.value.trimmed) }
    }
}

extension ModelRequest {
    var library: HTTPRequest {
        let parts = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true)
        return HTTPRequest(
            method: HTTPRequest.Method(method) ?? .get, scheme: "https",
            authority: parts.count > 1 ? String(parts[1]) : nil, path: "/" + (parts.count > 2 ? parts[2] : ""),
            headerFields: fields.library)
    }
}

extension ModelResponse {
    var library: HTTPResponse { HTTPResponse(status: .init(code: status), headerFields: fields.library) }
}

extension ModelDecision {
    init(_ decision: ReuseDecision) {
        self =
            switch decision {
            case .reuse(let index, _, because: _): .reuse(index)
            case .reuseThenValidate(let index, _, request: _, because: _): .reuseThenValidate(index)
            case .validate(let index, _, request: _, because: _): .validate(index)
            case .forward: .forward
            case .unsatisfiable: .unsatisfiable
            }
    }
}

extension ReuseDecision {
    /// The reading and the reason in it.
    var reading: Freshness? {
        switch self {
        case .reuse(_, let freshness, because: _), .reuseThenValidate(_, let freshness, request: _, because: _),
            .validate(_, let freshness, request: _, because: _):
            freshness
        case .forward, .unsatisfiable: nil
        }
    }

    var because: CacheReason {
        switch self {
        case .reuse(_, _, let reason), .reuseThenValidate(_, _, request: _, let reason),
            .validate(_, _, request: _, let reason), .forward(request: _, let reason), .unsatisfiable(let reason):
            reason
        }
    }

    var sent: HTTPRequest? {
        switch self {
        case .reuseThenValidate(_, _, let request, because: _), .validate(_, _, let request, because: _),
            .forward(let request, because: _):
            request
        case .reuse, .unsatisfiable: nil
        }
    }
}

extension ModelTerms {
    var library: RequestTerms {
        RequestTerms(
            softLifetime: softLifetime.map { .milliseconds(Int64($0 * 1_000)) },
            hardLifetime: hardLifetime.map { .milliseconds(Int64($0 * 1_000)) },
            ignoresMustRevalidate: ignoresMustRevalidate, forcesValidation: forcesValidation)
    }
}
