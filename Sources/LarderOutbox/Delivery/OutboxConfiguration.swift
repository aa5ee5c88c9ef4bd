public import HTTPTypes
public import LarderStore
public import LarderTransport

/// How to write to one server.
public struct OutboxConfiguration: Sendable {
    /// Where endpoints are appended.
    public var base: BaseURL
    /// The name that unsent writes and points are bound to (`ServerMismatch`); nil: that of ``base``. For a server that has several
    /// addresses, or moves.
    public var serverIdentity: String?
    /// The header field that carries the idempotency key.
    public var keyField: HTTPField.Name
    /// The header field in which the server says that it answers an earlier request.
    public var replayField: HTTPField.Name
    /// The server's sequence of a write, as its answer reports it; nil where it does not.
    public var sequence: @Sendable (HTTPResponse) -> Int64?
    /// Whether an answer is the API's; its body is nil where it was longer than ``answerLimit``. What is not is neither success nor a
    /// refusal: a sign-in page of the network or of a gateway leaves writes and points where they are. By default anything is that is
    /// no page (``isNoPage(_:body:)``); an API that always says what it is may be told apart better, say by its content type.
    public var isServersAnswer: @Sendable (HTTPResponse, _ body: [UInt8]?) -> Bool {
        didSet { hasOwnCheck = true }
    }
    /// Whether the host says what the API's answers are.
    private(set) var hasOwnCheck = false
    /// How long to wait for each step of an exchange.
    public var timeouts: TransportTimeouts
    /// The longest answer that is read, in bytes; what is longer counts as no body.
    public var answerLimit: Int
    /// Where a GET finds what a write is about; nil where nothing does. By default the write's own endpoint, unless it is a POST:
    /// that goes to the list it adds to, and what it has created is found where the `Location` of a 201 says.
    public var entityEndpoint: @Sendable (OutboxEntry) -> String?
    /// What of an answer becomes the row, for writes that load it.
    public var loading: AnswerLoading
    /// Settles conflicts; nil: as ``OutboxPolicy/resolvesConflicts`` says, the host does, or the write is rejected.
    public var conflicts: ConflictResolver?
    /// Signs an account in again when the server does not take its credentials any more; answers whether it worked. Called
    /// when there is a network, and once at a time but for ``Outbox/send(_:)``. Nil: the credentials are renewed; where that brings no others, the host signs in by
    /// itself, and says so (``Outbox/signedIn(as:)``).
    public var signIn: (@Sendable (_ account: String?) async -> Bool)?

    /// A configuration with defaults.
    ///
    /// - Parameter keyField: `X-Idempotency-Key`, or ``draftKeyField``.
    public init(
        base: BaseURL, keyField: HTTPField.Name = Self.sourceKeyField, timeouts: TransportTimeouts = TransportTimeouts()
    ) {
        self.base = base
        self.keyField = keyField
        self.timeouts = timeouts
        replayField = Self.standardReplayField
        sequence = { head in head.headerFields[Self.sequenceField].flatMap { Int64($0) } }
        isServersAnswer = { Self.isNoPage($0, body: $1) }
        answerLimit = 1 << 20
        entityEndpoint = { $0.method.uppercased() == "POST" ? nil : $0.endpoint }
        loading = .json
        conflicts = nil
        signIn = nil
    }

    /// `X-Idempotency-Key`.
    public static let sourceKeyField = name("X-Idempotency-Key")
    /// `Idempotency-Key`, as the IETF's draft has it.
    public static let draftKeyField = name("Idempotency-Key")
    /// `Idempotency-Replayed`.
    public static let standardReplayField = name("Idempotency-Replayed")
    /// `X-Sync-Sequence`: the sequence under which the write's changes will come back.
    public static let sequenceField = name("X-Sync-Sequence")

    private static func name(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is a token") }
        return name
    }
}

extension OutboxConfiguration {
    /// What the store knows the server by.
    var server: String { serverIdentity ?? base.identity }

    /// Whether an answer is no page of HTML or XHTML, which no API answers a write with.
    ///
    /// A specific content type is believed. Without one, and under `text/plain` and `application/octet-stream`, whatever begins with
    /// `<` is a page; an API that answers so has to say itself what its answers are (``isServersAnswer``). Without content (204, 205,
    /// 304) an answer is no page; an empty body is one under a content type of HTML.
    ///
    /// - Parameter body: all of the body or its first 4096 bytes; nil where it is not known: then only a content type says no.
    public static func isNoPage(_ head: HTTPResponse, body: [UInt8]?) -> Bool {
        !head.isPage(beginning: body)
    }

    /// Whether an answer is not the API's. The host says so of the whole body, pages are known by how they begin.
    func isForeign(_ head: HTTPResponse, _ content: AnswerContent) -> Bool {
        if hasOwnCheck { return !isServersAnswer(head, content.body) }
        return !Self.isNoPage(head, body: content.beginning)
    }
}
