package import HTTPTypes

/// The rules for coded (compressed) and plain bodies. RFC 9110 §8.4.
package enum ContentCoding {
    /// The `Accept-Encoding` of a transport that decodes gzip and deflate.
    ///
    /// Gzip first: some servers send deflate without the header of RFC 1950, which is not decoded.
    private static let decoded = "gzip, deflate;q=0.5"

    /// Returns the `Accept-Encoding` that a transport adds to `request`; nil when the request has its own.
    ///
    /// - Parameter decodes: Whether the transport decodes gzip and deflate.
    package static func added(to request: HTTPRequest, decodes: Bool) -> String? {
        guard request.headerFields[.acceptEncoding] == nil else { return nil }
        return decodes && request.headerFields[.range] == nil ? decoded : "identity"
    }

    /// Returns whether a request names no coding itself, so that its body must arrive without one.
    package static func isIdentityRequired(by request: HTTPRequest) -> Bool {
        request.headerFields[.acceptEncoding].map { isIdentity($0) } ?? true
    }

    /// Returns whether the body after `head` is coded according to its header fields, as content or only for the
    /// transfer.
    package static func isCoded(_ head: HTTPResponse) -> Bool {
        let fields = head.headerFields
        return fields[values: .contentEncoding].contains { !isIdentity($0) }
            || fields[values: .transferEncoding].contains { !isIdentity($0, or: "chunked") }
    }

    /// Returns `head` as that of the decoded body: without the content coding and the length of the coded form.
    package static func decoded(_ head: HTTPResponse) -> HTTPResponse {
        var head = head
        head.headerFields[.contentEncoding] = nil
        head.headerFields[.contentLength] = nil
        return head
    }

    /// Returns whether a value names no coding: it is `identity` or empty.
    private static func isIdentity(_ value: String, or plain: String = "identity") -> Bool {
        value.split(separator: ",").allSatisfy { part in
            let name = part.lowercased().filter { $0 != " " && $0 != "\t" }
            return name.isEmpty || name == "identity" || name == plain
        }
    }
}
