package import HTTPTypes

/// Whether bodies travel as they are, or compressed on the way. RFC 9110 §8.4.
package enum ContentCoding {
    /// What a transport that decodes gzip and deflate asks for.
    ///
    /// Gzip first: some servers send deflate without the header of RFC 1950, which is not decoded.
    private static let decoded = "gzip, deflate;q=0.5"

    /// The `Accept-Encoding` that a transport adds to `request`; nil when the request has its own.
    ///
    /// - Parameter decodes: whether the transport decodes gzip and deflate.
    package static func added(to request: HTTPRequest, decodes: Bool) -> String? {
        guard request.headerFields[.acceptEncoding] == nil else { return nil }
        return decodes && request.headerFields[.range] == nil ? decoded : "identity"
    }

    /// Whether a request names no coding of its own, so that its body has to come without one.
    package static func isUnasked(in request: HTTPRequest) -> Bool {
        request.headerFields[.acceptEncoding].map { isIdentity($0) } ?? true
    }

    /// Whether the body behind `head` is coded, as its header fields say: as content, or for the transfer alone.
    package static func isCoded(_ head: HTTPResponse) -> Bool {
        let fields = head.headerFields
        return fields[values: .contentEncoding].contains { !isIdentity($0) }
            || fields[values: .transferEncoding].contains { !isIdentity($0, or: "chunked") }
    }

    /// `head` as that of the decoded body: without the coding of the content, and the length of the coded form.
    package static func decoded(_ head: HTTPResponse) -> HTTPResponse {
        var head = head
        head.headerFields[.contentEncoding] = nil
        head.headerFields[.contentLength] = nil
        return head
    }

    /// `identity`, which means no coding, or nothing at all.
    private static func isIdentity(_ value: String, or plain: String = "identity") -> Bool {
        value.split(separator: ",").allSatisfy { part in
            let name = part.lowercased().filter { $0 != " " && $0 != "\t" }
            return name.isEmpty || name == "identity" || name == plain
        }
    }
}
