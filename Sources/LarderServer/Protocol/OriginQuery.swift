/// One request for a page of a sync run.
public struct OriginQuery: Hashable, Sendable {
    /// The run and the position that a page belongs to.
    public enum Start: Hashable, Sendable {
        /// The first page of a first sync.
        case bootstrap(ContentFilter)
        /// The first page of the changes after a token.
        case token(String, ContentFilter)
        /// A further page; the filter is the one the request repeated, if it did.
        case cursor(String, ContentFilter?)
    }

    /// The page sizes that the protocol allows, in changes, or in resources during a first sync.
    public static let pageSizes = 1...100
    /// The page size of a request that names none.
    public static let defaultPageSize = 50

    /// The run and the position that are requested.
    public let start: Start
    /// The page size the request names.
    public let pageSize: Int?

    /// Creates a request for a page.
    public init(_ start: Start, pageSize: Int? = nil) {
        self.start = start
        self.pageSize = pageSize
    }

    /// Parses the query part of a request's target, without the `?`. Unknown parameters are ignored.
    ///
    /// - Throws: ``OriginProblem``: `invalid_per_page`, `invalid_resources`, or 400 for parameters that are missing,
    ///   appear twice, exclude each other or cannot be read.
    public init(parsing query: String) throws(OriginProblem) {
        let parameters = try Self.parameters(query)
        pageSize = try Self.pageSize(parameters["per_page"])
        let filter = try Self.filter(parameters["resources"])
        let bootstrap = try Self.boolean(parameters["bootstrap"])
        let token = parameters["sync_token"]
        if let cursor = parameters["cursor"] {
            guard !bootstrap, token == nil else {
                throw .invalidRequest("cursor cannot be combined with bootstrap or sync_token")
            }
            start = .cursor(cursor, filter)
            return
        }
        guard let filter else { throw .invalidResources }
        switch (bootstrap, token) {
        case (true, nil): start = .bootstrap(filter)
        case (false, let token?): start = .token(token, filter)
        case (true, _): throw .invalidRequest("bootstrap and sync_token exclude each other")
        case (false, nil): throw .invalidRequest("bootstrap=true, sync_token or cursor is required")
        }
    }

    private static func parameters(_ query: String) throws(OriginProblem) -> [String: String] {
        var parameters: [String: String] = [:]
        for part in query.split(separator: "&") {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(halves[0]),
                let value = halves.count == 2 ? PercentEncoding.decode(halves[1]) : ""
            else { throw .invalidRequest("the query is not percent-encoded UTF-8") }
            guard parameters.updateValue(value, forKey: name) == nil else {
                throw .invalidRequest("a parameter is repeated")
            }
        }
        return parameters
    }

    private static func pageSize(_ text: String?) throws(OriginProblem) -> Int? {
        guard let text else { return nil }
        guard let size = Int(text) else { throw .invalidPageSize("per_page must be a number") }
        guard size <= pageSizes.upperBound else { throw .invalidPageSize("per_page cannot exceed 100") }
        guard size >= pageSizes.lowerBound else { throw .invalidPageSize("per_page must be at least 1") }
        return size
    }

    private static func filter(_ text: String?) throws(OriginProblem) -> ContentFilter? {
        guard let text else { return nil }
        guard let filter = ContentFilter(text) else { throw .invalidResources }
        return filter
    }

    private static func boolean(_ text: String?) throws(OriginProblem) -> Bool {
        switch text {
        case nil, "false": false
        case "true": true
        default: throw .invalidRequest("bootstrap must be true or false")
        }
    }
}

/// Percent-encoded text in URLs (RFC 3986 §2.1).
enum PercentEncoding {
    /// Returns the decoded text, or `nil` when an escape is broken or the bytes are no UTF-8. A plus sign is a plus
    /// sign.
    static func decode(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = digit(rest.popFirst()), let low = digit(rest.popFirst()) else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8?) -> UInt8? {
        switch byte {
        case .some(let byte) where (0x30...0x39).contains(byte): byte - 0x30
        case .some(let byte) where (0x41...0x46).contains(byte): byte - 0x37
        case .some(let byte) where (0x61...0x66).contains(byte): byte - 0x57
        default: nil
        }
    }
}
