internal import LarderFormat
internal import LarderJSON

/// A server's message about a request that it refused.
public struct ServerProblem: Hashable, Sendable {
    /// The HTTP status code.
    public var status: Int

    /// The machine-readable reason, such as `resync_required`.
    ///
    /// It is `error.code` of the Content Sync envelope, or `type` of the envelope of all other errors. It is `nil` when
    /// the body names none, or one that is not a word of at most 64 letters, digits and `_-.:/`. Decide by this and
    /// ``status``, never by ``message``.
    public var code: String?

    /// The server's text for the user, cut to 500 Unicode scalars; empty when the body has none.
    public var message: String

    /// A problem of the given parts.
    public init(status: Int, code: String?, message: String) {
        self.status = status
        self.code = code
        self.message = message
    }
}

extension ServerProblem {
    /// The largest body that is read, in bytes.
    package static let maximumBody = 64 << 10

    /// Reads both error envelopes, `{"error": {"code", "message"}}` and `{"message", "type", "success"}`.
    ///
    /// It never fails: a body of another form, such as a proxy's HTML page, yields a problem without code or message.
    package init(status: Int, body: [UInt8]) {
        self.init(status: status, code: nil, message: "")
        guard body.count <= Self.maximumBody, let found = try? Self.envelope(of: body) else { return }
        code = found.code.flatMap { Self.isToken($0) ? $0 : nil }
        message = String(String.UnicodeScalarView(found.message.unicodeScalars.prefix(500)))
    }

    /// Whether `code` is machine-readable: 1 to 64 letters, digits and `_-.:/`. It is shown and logged.
    private static func isToken(_ code: String) -> Bool {
        (1...64).contains(code.utf8.count)
            && code.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
                    UInt8(ascii: ":"), UInt8(ascii: "/"):
                    true
                default: false
                }
            }
    }

    private static func envelope(of body: [UInt8]) throws(WireError) -> (code: String?, message: String) {
        var reader = BodyReader(body.rawSpan.bytes)
        try reader.beginObject(path: "")
        let outer = try reader.members(["error", "message", "type"].map { Array($0.utf8) }, path: "")
        try reader.finish()
        guard case .object(let range)? = outer[0] else { return (outer[2]?.text, outer[1]?.text ?? "") }
        var inner = BodyReader(body.rawSpan.bytes.extracting(range))
        try inner.beginObject(path: "error")
        let members = try inner.members(["code", "message"].map { Array($0.utf8) }, path: "error")
        return (members[0]?.text, members[1]?.text ?? "")
    }
}
