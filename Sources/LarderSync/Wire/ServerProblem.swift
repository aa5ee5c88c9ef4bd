/// What a server said about a request that it refused.
public struct ServerProblem: Hashable, Sendable {
    /// The HTTP status code.
    public var status: Int

    /// The machine-readable reason, such as `resync_required`; `nil` when the body names none.
    ///
    /// It is `error.code` of the content sync envelope, or `type` of the envelope of all other errors. Decide by this
    /// and ``status``, never by ``message``.
    public var code: String?

    /// The server's words for people, cut to 500 Unicode scalars; empty when the body has none.
    public var message: String

    /// A problem of the given parts.
    public init(status: Int, code: String?, message: String) {
        self.status = status
        self.code = code
        self.message = message
    }
}

extension ServerProblem {
    /// The largest body that is looked into, in bytes.
    package static let maximumBody = 64 << 10

    /// Reads both error envelopes, `{"error": {"code", "message"}}` and `{"message", "type", "success"}`.
    ///
    /// It never fails: a body of another form, such as a proxy's HTML page, yields a problem without code or message.
    package init(status: Int, body: [UInt8]) {
        self.init(status: status, code: nil, message: "")
        guard body.count <= Self.maximumBody, let found = try? Self.envelope(of: body) else { return }
        code = found.code
        message = String(String.UnicodeScalarView(found.message.unicodeScalars.prefix(500)))
    }

    private static func envelope(of body: [UInt8]) throws(WireError) -> (code: String?, message: String) {
        var reader = BodyReader(body)
        try reader.beginObject(path: "")
        let outer = try reader.members(["error", "message", "type"], path: "")
        try reader.finish()
        guard case .object(let range)? = outer[0] else { return (outer[2]?.text, outer[1]?.text ?? "") }
        var inner = BodyReader(Array(body[range]))
        try inner.beginObject(path: "error")
        let members = try inner.members(["code", "message"], path: "error")
        return (members[0]?.text, members[1]?.text ?? "")
    }
}
