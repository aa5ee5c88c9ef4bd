package import HTTPTypes

/// Whether bodies travel as they are, or compressed on the way. RFC 9110 §8.4.
package enum ContentCoding {
    /// Whether a request leaves the choice to the transport, which then asks for no coding.
    package static func isUnasked(in request: HTTPRequest) -> Bool {
        request.headerFields[.acceptEncoding].map { isIdentity($0) } ?? true
    }

    /// Whether the body behind `head` is coded, as its header fields say: as content, or for the transfer alone.
    package static func isCoded(_ head: HTTPResponse) -> Bool {
        let fields = head.headerFields
        return fields[values: .contentEncoding].contains { !isIdentity($0) }
            || fields[values: .transferEncoding].contains { !isIdentity($0, or: "chunked") }
    }

    /// `identity`, which means no coding, or nothing at all.
    private static func isIdentity(_ value: String, or plain: String = "identity") -> Bool {
        value.split(separator: ",").allSatisfy { part in
            let name = part.lowercased().filter { $0 != " " && $0 != "\t" }
            return name.isEmpty || name == "identity" || name == plain
        }
    }
}
