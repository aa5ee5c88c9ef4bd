public import HTTPTypes
public import LarderFormat
public import LarderStore
public import LarderTransport

/// A write of an object or a file.
public struct QueuedWrite: Hashable, Sendable {
    /// Its identity, and its idempotency key: the same at every try.
    public var id: UUIDBytes
    /// When it was made, in milliseconds since 1970-01-01 UTC.
    public var createdAt: Int64
    /// The HTTP method.
    public var method: HTTPRequest.Method
    /// The path with its query.
    public var path: String
    /// The body.
    public var payload: [UInt8]
    /// What it is about.
    public var object: ObjectName
    /// The media type of the body; nil leaves it to the queue.
    public var contentType: String?
    /// The account that it was made under, which alone may have it; nil where there are no accounts.
    public var account: String?
    /// Whether it was sent and not answered, so that the server may have it under its identity.
    public var isInDoubt = false

    /// A write of these parts that was not sent yet.
    public init(
        id: UUIDBytes, createdAt: Int64, method: HTTPRequest.Method, path: String, payload: [UInt8], object: ObjectName,
        contentType: String? = nil, account: String? = nil
    ) {
        self.id = id
        self.createdAt = createdAt
        self.method = method
        self.path = path
        self.payload = payload
        self.object = object
        self.contentType = contentType
        self.account = account
    }
}

/// What is known of a write that waits in a queue.
public struct WaitingWrite: Hashable, Sendable {
    /// The description of the object that it is about.
    public var entity: String
    /// The object that it changes for readers; nil for an upload.
    public var changed: ObjectName?
    /// The path it goes to.
    public var path: String

    /// A waiting write of these parts.
    public init(entity: String, changed: ObjectName?, path: String) {
        self.entity = entity
        self.changed = changed
        self.path = path
    }
}

/// Where writes of persistent classes wait until the server has them, in their order, and are sent from: an outbox.
public protocol WriteQueue: Sendable {
    /// The header field that carries a write's identity, so that one that was tried before it was queued is not doubled.
    var keyField: HTTPField.Name { get }

    /// Makes a write durable together with what readers see of it until the server has it, and returns before that is
    /// asked. A write that is refused takes its effects along.
    ///
    /// - Throws: ``HTTPCacheError/notSignedIn`` where its account is not signed in at the commit; what the queue throws.
    func enqueue(_ write: QueuedWrite, effects: [RowEffect]) async throws

    /// The waiting writes that a later one must not overtake, in their order.
    func waiting() throws -> [WaitingWrite]

    /// Has what waits about an object sent now, and what has to go before it.
    ///
    /// Returns when none of it waits any more, or when it cannot be sent now.
    func sendWaiting(about object: ObjectName) async throws

    /// The authentication state: writes are made under its account, and sent, queued and kept while that stays signed in.
    func gate() throws -> SessionGate

    /// What the answer to a write means that was sent directly: the same as if the queue had sent it.
    ///
    /// - Throws: what ended an answer of success too early; the server may have the write then.
    func verdict(reading response: TransportResponse, to write: QueuedWrite) async throws(TransportError) -> Verdict

    /// The time that is left of the wait that a server asked for (`Retry-After`) in any part of the program; nil when there is
    /// none, which is the default.
    ///
    /// - Parameter server: scheme and authority, as `https://api.example.com`.
    func serverWait(of server: String) throws -> Duration?

    /// Stores that a server asked for a wait, for every part of the program; the default does nothing.
    func noteServerWait(_ wait: Duration, of server: String) async throws

    /// When its writes are tried again; those in memory go by the same. The default is that of an outbox.
    var schedule: WriteSchedule { get }

    /// How often an account signed in, or out: a request made before the last time carries an earlier session's credentials.
    var signIns: Int { get }

    /// Has an account's login renewed, as the server answered a write with 401.
    ///
    /// - Parameter signIns: ``signIns`` when the write's request was made.
    /// - Returns: whether it is renewed, or was since; false by default.
    func noteUnauthorized(_ account: String?, since signIns: Int) -> Bool
}

extension WriteQueue {
    /// No wait.
    public func serverWait(of server: String) throws -> Duration? { nil }

    /// Does nothing.
    public func noteServerWait(_ wait: Duration, of server: String) async throws {}

    /// An outbox's defaults.
    public var schedule: WriteSchedule { WriteSchedule() }

    /// None.
    public var signIns: Int { 0 }

    /// Renews nothing.
    public func noteUnauthorized(_ account: String?, since signIns: Int) -> Bool { false }

    /// Whether a write waits that a later one must not overtake.
    public func hasWaiting() throws -> Bool { try !waiting().isEmpty }
}
