// CacheModel: cache keys and Vary (RFC 9111 §4.1).

import Foundation

// RFC 9111 §4.1: cache keys and Vary.
extension CacheModel {
    /// Whether the request has what the stored response's `Vary` asks for.
    func varyMatches(_ stored: ModelStored, _ request: ModelRequest) -> Bool {
        let names = (stored.response.fields.combined("Vary") ?? "").listMembers
        // What is no name of a field, no request can match.
        guard names.allSatisfy({ $0.isToken && $0 != "*" }) else { return false }
        return names.allSatisfy {
            normalised($0, stored.request.fields) == normalised($0, request.fields)
        }
    }

    /// A field's value with its lines combined and whitespace around commas taken away; nil when it is absent.
    private func normalised(_ name: String, _ fields: ModelFields) -> [String]? {
        // Neither is a list: every byte of them counts.
        if ["cookie", "authorization"].contains(name.lowercased()) { return fields.combined(name).map { [$0] } }
        return fields.combined(name)?.listMembers
    }

    /// The stored responses that could be used but for freshness: RFC 9111 §4, the first four items.
    func suitable(_ candidates: [ModelStored], for request: ModelRequest) -> [Int] {
        candidates.indices.filter { index in
            let stored = candidates[index]
            return stored.request.url == request.url && isUsable(stored.request.method, for: request.method)
                && varyMatches(stored, request) && covers(stored, request)
        }
    }

    /// A GET's response, and a POST's that is stored, answers GET and HEAD. RFC 9110 §9.3.2, §9.3.3.
    private func isUsable(_ stored: String, for presented: String) -> Bool {
        ["GET", "POST"].contains(stored) && (presented == "GET" || presented == "HEAD")
    }

    /// RFC 9111 §4 and §4.1: of several, the most recent by `Date`. All that share the latest date are given.
    func mostRecent(_ indices: [Int], of candidates: [ModelStored]) -> [Int] {
        let latest = indices.map { generated(candidates[$0]) }.max()
        return indices.filter { generated(candidates[$0]) == latest }
    }
}
