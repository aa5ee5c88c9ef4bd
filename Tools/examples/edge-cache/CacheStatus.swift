#if Server && AsyncHTTPClient
import HTTPTypes
import Larder
import LarderHTTP

/// The way an answer was made, as the field `Cache-Status` states it. RFC 9211.
struct CacheStatus: CustomStringConvertible {
    /// The value of the field: `edge-cache; hit; ttl=42`.
    let description: String

    /// Describes an answer.
    ///
    /// - Parameter now: Milliseconds since 1970-01-01 UTC.
    init(_ answer: Fetched<HTTPAnswer>, now: Int64) {
        var parts = ["edge-cache"]
        switch answer.origin {
        case .cache: parts.append("hit")
        case .revalidated: parts += ["fwd=stale", "fwd-status=304"]
        case .network:
            parts += ["fwd=\(Self.cause(answer.reuse))", "fwd-status=\(answer.value.head.status.code)"]
            if answer.storage.word == "stored" { parts.append("stored") }
        }
        if answer.reuse.word == "joined" { parts.append("collapsed") }
        switch answer.state {
        case .fresh(let end): parts.append("ttl=\((end - now) / 1000)")
        case .stale(let start), .expiredServedOffline(let start):
            parts.append("ttl=\((start - now) / 1000)")
            if answer.origin == .cache { parts.append("detail=\(answer.reuse.word)") }
        case .unknown: break
        }
        description = parts.joined(separator: "; ")
    }

    /// The words of RFC 9211 §2.2 for the reason why the origin was asked.
    private static func cause(_ reason: CacheReason) -> String {
        switch reason.word {
        case "miss", "joined": "uri-miss"
        case "vary-mismatch": "vary-miss"
        case "partial", "completing": "partial"
        case "method": "method"
        case "network-only": "bypass"
        case "request-no-store", "request-no-cache", "request-max-age", "min-fresh", "condition", "ranges": "request"
        default: "stale"
        }
    }
}

extension HTTPField.Name {
    /// `Cache-Status`. RFC 9211.
    static var cacheStatus: HTTPField.Name {
        guard let name = HTTPField.Name("Cache-Status") else { preconditionFailure("the name has only letters") }
        return name
    }
}
#endif
