// CacheModel: invalidation (RFC 9111 §4.4).

import Foundation

// RFC 9111 §4.4: invalidation.
extension CacheModel {
    /// RFC 9110 §9.2.1: the methods that are known to be safe.
    static let safe: Set<String> = ["GET", "HEAD", "OPTIONS", "TRACE"]

    /// The URIs to invalidate: the target's, and those of the same origin that the answer names.
    func invalidated(by response: ModelResponse, to request: ModelRequest) -> Set<String> {
        guard !Self.safe.contains(request.method), (200..<400).contains(response.status) else { return [] }
        var found: Set<String> = [withoutFragment(request.url)]
        for name in ["Location", "Content-Location"] {
            guard let text = response.fields.all(name).first, let base = URL(string: request.url),
                let target = URL(string: text, relativeTo: base)?.absoluteURL,
                origin(target) == origin(base)
            else { continue }
            found.insert(withoutFragment(target.absoluteString))
        }
        return found
    }

    /// RFC 9110 §4.3.1.
    func origin(_ url: URL) -> String {
        let scheme = (url.scheme ?? "").lowercased()
        let port = url.port ?? (scheme == "https" ? 443 : 80)
        return "\(scheme)://\((url.host() ?? "").lowercased()):\(port)"
    }

    private func withoutFragment(_ url: String) -> String { url.components(separatedBy: "#")[0] }
}
