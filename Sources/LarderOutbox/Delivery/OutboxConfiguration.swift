public import HTTPTypes
public import LarderStore
public import LarderTransport

/// The settings for writing to one server.
///
/// ```swift
/// var configuration = OutboxConfiguration(base: base, keyField: OutboxConfiguration.draftKeyField)
/// configuration.signIn = session.renewal  // renews an expired login, and sending goes on
/// let outbox = Outbox.system(store: store, transport: transport, configuration: configuration)
/// session.attach(outbox)
/// ```
public struct OutboxConfiguration: Sendable {
    /// The URL that endpoints are appended to.
    public var base: BaseURL
    /// The name that unsent writes and points are bound to (`ServerMismatch`); nil: that of ``base``. For a server that
    /// has several addresses, or moves.
    public var serverIdentity: String?
    /// The header field that carries the idempotency key.
    public var keyField: HTTPField.Name
    /// The header field in which the server says that it repeats the response to an earlier request.
    public var replayField: HTTPField.Name
    /// The server's sequence of a write, as its response reports it; nil where it does not.
    public var sequence: @Sendable (HTTPResponse) -> Int64?
    /// Whether a response comes from the API; the body is nil where it was longer than ``responseLimit`` or broke off.
    /// Any other response is neither success nor a refusal: a sign-in page of the network or of a gateway leaves writes
    /// and points as they are. By default every response that is no page counts as the API's (``isNoPage(_:body:)``).
    /// An API that always identifies its responses, for example by their content type, may be recognized more exactly.
    public var isServerResponse: @Sendable (HTTPResponse, _ body: [UInt8]?) -> Bool {
        didSet { hasOwnCheck = true }
    }
    /// Whether the host has set the check for the API's responses.
    private(set) var hasOwnCheck = false
    /// The timeouts of the steps of an exchange.
    public var timeouts: TransportTimeouts
    /// The longest response body that is read, in bytes; a longer one counts as no body.
    public var responseLimit: Int
    /// The endpoint at which a GET finds the entity of a write; nil where none does. By default the write's own
    /// endpoint, unless it is a POST: that is sent to the list it adds to, and what it has created is at the `Location`
    /// of a 201.
    public var entityEndpoint: @Sendable (OutboxEntry) -> String?
    /// The part of a response that becomes the row, for writes that load it.
    public var loading: ResponseLoading
    /// Resolves conflicts; nil: as ``OutboxPolicy/resolvesConflicts`` says, the host does, or the write is rejected.
    /// With a resolver, 412 is a conflict as well as 409 (`OutcomeTable.conditional`), unless the policy has outcomes of
    /// its own.
    public var conflicts: ConflictResolver?
    /// Signs an account in again when the server no longer accepts its credentials; returns whether it worked. Called
    /// when there is a network, and once at a time but for ``Outbox/send(_:)``. Nil: the credentials are renewed; where
    /// they stay the same, the host signs in on its own, and reports it (``Outbox/signedIn(as:)``).
    public var signIn: (@Sendable (_ account: String?) async -> Bool)?

    /// A configuration with defaults.
    ///
    /// - Parameters:
    ///   - base: the URL that endpoints are appended to.
    ///   - keyField: `X-Idempotency-Key`, or ``draftKeyField``.
    ///   - timeouts: the timeouts of the steps of an exchange.
    public init(
        base: BaseURL, keyField: HTTPField.Name = Self.sourceKeyField, timeouts: TransportTimeouts = TransportTimeouts()
    ) {
        self.base = base
        self.keyField = keyField
        self.timeouts = timeouts
        replayField = Self.standardReplayField
        sequence = { head in head.headerFields[Self.sequenceField].flatMap { Int64($0) } }
        isServerResponse = { Self.isNoPage($0, body: $1) }
        responseLimit = 1 << 20
        entityEndpoint = { $0.method.uppercased() == "POST" ? nil : $0.endpoint }
        loading = .json
        conflicts = nil
        signIn = nil
    }

    /// `X-Idempotency-Key`.
    public static let sourceKeyField = name("X-Idempotency-Key")
    /// `Idempotency-Key`, as in the IETF's draft.
    public static let draftKeyField = name("Idempotency-Key")
    /// `Idempotency-Replayed`.
    public static let standardReplayField = name("Idempotency-Replayed")
    /// `X-Sync-Sequence`: the sequence under which sync will return the write's changes.
    public static let sequenceField = name("X-Sync-Sequence")

    private static func name(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is a token") }
        return name
    }
}

extension OutboxConfiguration {
    /// The name by which the store records the server.
    var server: String { serverIdentity ?? base.identity }

    /// Whether a response is no page of HTML or XHTML, which no API sends in response to a write.
    ///
    /// A specific content type is believed. Without one, and under `text/plain` and `application/octet-stream`,
    /// whatever begins with `<` is a page; an API with such responses has to identify them itself
    /// (``isServerResponse``). Without content (204, 205, 304) a response is no page; an empty body is one under a
    /// content type of HTML.
    ///
    /// - Parameters:
    ///   - head: the status and the header fields of the response.
    ///   - body: all of the body or its first 4096 bytes; nil where it is not known: then a response without a specific
    ///     content type counts as a page.
    public static func isNoPage(_ head: HTTPResponse, body: [UInt8]?) -> Bool {
        !head.isPage(beginning: body)
    }

    /// Whether a response does not come from the API. The host's check gets the whole body; pages are recognized by
    /// their beginning.
    func isForeign(_ head: HTTPResponse, _ content: ResponseContent) -> Bool {
        if hasOwnCheck { return !isServerResponse(head, content.body) }
        return !Self.isNoPage(head, body: content.prefix)
    }
}
