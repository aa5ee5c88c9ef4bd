public import HTTPTypes

/// One write as passed to its handler, whether it was sent alone or in a batch.
public struct IdempotentRequest: Hashable, Sendable {
    /// The account of the write, as the host determined it from the request.
    public let account: String
    /// The key that names the write within its account; nil only where a route does not require one.
    public let key: String?
    /// The method.
    public let method: HTTPRequest.Method
    /// The path with its query.
    public let path: String
    /// The header fields; those of the whole batch for a write of a batch.
    public let fields: HTTPFields
    /// The body, whole; the payload's JSON text for a write of a batch.
    public let body: [UInt8]
    /// The client's name of the kind of write, for a write of a batch.
    public let type: String?

    /// Describes a write.
    public init(
        account: String, key: String?, method: HTTPRequest.Method, path: String, fields: HTTPFields = [:],
        body: [UInt8] = [], type: String? = nil
    ) {
        self.account = account
        self.key = key
        self.method = method
        self.path = path
        self.fields = fields
        self.body = body
        self.type = type
    }

    /// The fingerprint that distinguishes this write from another one under the same key.
    ///
    /// Whitespace around a JSON text is ignored, because the payloads of a batch have none.
    var fingerprint: RequestFingerprint {
        let isJSON = fields[.contentType]?.lowercased().hasPrefix("application/json") == true
        return RequestFingerprint(method: method.rawValue, path: path, body: isJSON ? Self.trimmed(body) : body)
    }

    private static func trimmed(_ body: [UInt8]) -> [UInt8] {
        let isText = { (byte: UInt8) in byte != 0x20 && byte != 0x0A && byte != 0x0D && byte != 0x09 }
        guard let first = body.firstIndex(where: isText), let last = body.lastIndex(where: isText) else { return [] }
        return Array(body[first...last])
    }
}
