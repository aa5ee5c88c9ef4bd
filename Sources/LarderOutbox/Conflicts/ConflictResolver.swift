public import HTTPTypes
internal import LarderFormat
internal import LarderJSON
internal import LarderStore
internal import LarderTransport

/// The way conflicts are resolved: how to read the server's version, and the policy that decides.
public struct ConflictResolver: Sendable {
    /// The policy that decides.
    public var policy: ConflictPolicy
    /// The server's version, where its refusal of the write carries it; nil where it does not. Most servers describe
    /// the error there, so by default no refusal is read.
    public var remoteInRefusal: @Sendable (HTTPResponse, [UInt8]) -> [UInt8]? = { _, _ in nil }
    /// Whether the body of a 200 or 203 to the GET of an entity is the server's version; by default as
    /// ``isEntity(_:_:)`` says. Any other body leaves the write in conflict, with the reason as its last error, and the
    /// server is asked again later.
    public var isState: @Sendable (HTTPResponse, _ body: [UInt8]) -> Bool = Self.isEntity
    /// The member of a JSON object that holds the server's revision, a whole number.
    public var revisionMember = "revision"
    /// The member that holds the time of the last change: a date-time of RFC 3339, or milliseconds since 1970-01-01
    /// UTC. Where it is missing, the `Last-Modified` of the response counts. For a write that lacks the member or left
    /// it unchanged, the time counts at which it was enqueued or edited.
    public var timeMember = "updatedAt"
    /// The number of times in a row that a write may be sent again because of a conflict; then it is left to the host.
    /// 1 or more.
    public var mostInARow = 5

    /// A resolver with a policy, which reads the server's version from ``OutboxConfiguration/entityEndpoint``.
    ///
    /// The policy decides once that is known. For a server that cannot be asked, the endpoint is to be nil.
    public init(_ policy: ConflictPolicy) { self.policy = policy }

    /// Returns a resolver as ``init(_:)``, for servers that respond to a conflict with their version as a JSON object.
    ///
    /// A problem document (RFC 9457) does not count.
    public static func remoteInRefusal(_ policy: ConflictPolicy) -> ConflictResolver {
        var resolver = ConflictResolver(policy)
        resolver.remoteInRefusal = { head, body in
            let type = head.headerFields[.contentType]?.lowercased() ?? ""
            guard type.hasPrefix("application/"), type.contains("json"), !type.contains("problem") else { return nil }
            return JSONMembers(body) == nil ? nil : body
        }
        return resolver
    }

    /// Whether a body is a JSON object or, where the content type names a format that is neither JSON nor a page, not
    /// empty.
    ///
    /// Truncated text, an array, a word and an empty body are no object. `text/plain`, `application/octet-stream` and
    /// the like name no format.
    public static func isEntity(_ head: HTTPResponse, _ body: [UInt8]) -> Bool {
        JSONMembers(body) != nil || (!body.isEmpty && head.isOfOtherFormat)
    }

    /// Returns a version of what a conflict is about, with the revision and time that its payload states.
    func side(_ payload: [UInt8]?, head: HTTPResponse? = nil, now: Int64) -> Conflict.Side {
        var side = Conflict.Side(payload: payload)
        side.entityTag = head?.headerFields[.eTag]
        if let payload {
            let found = values(in: payload)
            side.revision = found.revision
            side.updatedAt = found.time
        }
        if side.updatedAt == nil {
            side.updatedAt = head?.headerFields[.lastModified].flatMap { HTTPDate.milliseconds(of: $0, now: now) }
        }
        return side
    }

    private func values(in payload: [UInt8]) -> (revision: Int64?, time: Int64?) {
        guard let revision = JSONPath("$.\"\(revisionMember)\""), let time = JSONPath("$.\"\(timeMember)\"") else {
            return (nil, nil)
        }
        let found = JSONExtractor([revision, time]).values(of: payload.rawSpan, codec: .json)
        var values: (revision: Int64?, time: Int64?) = (nil, nil)
        if case .integer(let number) = found[0] { values.revision = number }
        switch found[1] {
        case .integer(let number): values.time = number
        case .text(let text): values.time = RFC3339.milliseconds(of: text)
        case .null, .real, .blob: break
        }
        return values
    }
}
