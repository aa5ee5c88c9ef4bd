// OriginPage: what a test origin serves under one path.

/// What a test origin serves under one path, and what it says about it.
public struct OriginPage: Sendable {
    /// How the origin misbehaves.
    public enum Fault: Sendable {
        /// It answers with this status and a short text.
        case status(Int)
        /// It waits before its head.
        case slow(Duration)
        /// It promises the whole body, and ends the connection after so many bytes.
        case cut(after: Int)
        /// It ends the connection without a byte.
        case reset
        /// It sends these bytes in place of its body.
        case garbled([UInt8])
    }

    /// The whole representation.
    public var body: [UInt8]
    /// The entity tag with its quotes, such as `"v1"` or `W/"v1"`.
    public var etag: String?
    /// The date of the last change, in the form of HTTP.
    public var lastModified: String?
    /// `Cache-Control`, whole.
    public var cacheControl: String?
    /// More header fields, as they are.
    public var headers: [(name: String, value: String)] = []
    /// Other bodies by the value of `Accept-Language`; with any, the page varies by it.
    public var languages: [String: [UInt8]] = [:]
    /// Whether it travels as gzip where the request accepts that; with true it varies by `Accept-Encoding`, and a range is
    /// one of the compressed form.
    public var isCompressed = false
    /// Whether parts are served.
    public var servesRanges = true
    /// Whether the head declares the length of the body.
    public var declaresLength = true
    /// The status of its answers but 206 and 304; for methods that change something 204 in place of 200.
    public var status = 200
    /// How it misbehaves, if it does.
    public var fault: Fault?

    /// A page that says no more about itself than is given.
    public init(
        _ body: [UInt8], etag: String? = nil, lastModified: String? = nil, cacheControl: String? = nil
    ) {
        self.body = body
        self.etag = etag
        self.lastModified = lastModified
        self.cacheControl = cacheControl
    }

    /// As ``init(_:etag:lastModified:cacheControl:)``, with a text.
    public init(_ body: String, etag: String? = nil, lastModified: String? = nil, cacheControl: String? = nil) {
        self.init(Array(body.utf8), etag: etag, lastModified: lastModified, cacheControl: cacheControl)
    }
}

/// What reached a test origin.
public struct OriginRequest: Sendable {
    /// The method.
    public let method: String
    /// Path and query.
    public let path: String
    /// Names in lower case, and values, in order.
    public let headers: [(name: String, value: String)]
    /// The body.
    public let body: [UInt8]

    /// The values of a field, or nil.
    public subscript(_ name: String) -> String? {
        let values = headers.filter { $0.name == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}
