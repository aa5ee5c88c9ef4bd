import HTTPTypes

/// Distinguishes requests of programs on this machine from those of pages in a browser on it.
///
/// A page of any server may post to a port of this machine; the browser then names the page's server in `Origin`. A
/// name of that server may also be made to lead to this machine; the browser then sends that name as `Host`.
package enum LocalRequest {
    /// Checks that a request names this machine, and comes from no page of another server.
    ///
    /// - Throws: ``OriginProblem`` with status 403.
    static func check(_ request: HTTPRequest) throws(OriginProblem) {
        guard let authority = request.authority, isLoopback(authority) else {
            throw OriginProblem(status: 403, message: "Administration without credentials needs a loopback host")
        }
        guard let origin = request.headerFields[.origin] else { return }
        guard origin.lowercased() == "http://" + authority.lowercased() else {
            throw OriginProblem(status: 403, message: "Administration without credentials is not for other origins")
        }
    }

    /// Whether an authority, with a port or without, is `localhost` or a loopback address in its usual form.
    package static func isLoopback(_ authority: String) -> Bool {
        let text = authority.lowercased()
        let end =
            text.hasPrefix("[") ? text.firstIndex(of: "]").map { text.index(after: $0) } : text.firstIndex(of: ":")
        let (host, port) = (text[..<(end ?? text.endIndex)], text[(end ?? text.endIndex)...])
        guard port.isEmpty || (port.first == ":" && UInt16(port.dropFirst()) != nil) else { return false }
        if host == "localhost" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0).map { "\($0)" } == String($0) }
    }
}
