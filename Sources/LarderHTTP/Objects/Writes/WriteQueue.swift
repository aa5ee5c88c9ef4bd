public import HTTPTypes
public import LarderFormat
public import LarderStore
public import LarderTransport

/// A write of an object or a file.
public struct QueuedWrite: Hashable, Sendable {
    /// The identity, which is also the idempotency key: the same for every try.
    public var id: UUIDBytes
    /// The time at which the write was made, in milliseconds since 1970-01-01 UTC.
    public var createdAt: Int64
    /// The HTTP method.
    public var method: HTTPRequest.Method
    /// The path with its query.
    public var path: String
    /// The body.
    public var payload: [UInt8]
    /// The object that the write is about.
    public var object: ObjectName
    /// The media type of the body; nil leaves it to the queue.
    public var contentType: String?
    /// The account that the write was made under, the only one that may send or see it; nil where there are no
    /// accounts.
    public var account: String?
    /// Whether the write was sent without a response, so that the server may have it under its identity.
    public var isInDoubt = false

    /// Creates a write that was not sent yet.
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

/// The description of a write that waits in a queue.
public struct WaitingWrite: Hashable, Sendable {
    /// The description of the object that the write is about.
    public var entity: String
    /// The object that the write changes for readers; nil for an upload.
    public var changed: ObjectName?
    /// The path that the write is sent to.
    public var path: String

    /// Creates the description of a waiting write.
    public init(entity: String, changed: ObjectName?, path: String) {
        self.entity = entity
        self.changed = changed
        self.path = path
    }
}

/// A queue that holds writes of persistent classes in their order until the server has them, and sends them: an outbox.
public protocol WriteQueue: Sendable {
    /// The header field that carries a write's identity, so that a write that was tried before it was queued is not
    /// performed twice.
    var idempotencyKeyField: HTTPField.Name { get }

    /// Stores a write durably, together with the effects that readers see until the server has it. Returns before the
    /// server is contacted. If the write is refused, its effects are removed with it.
    ///
    /// - Throws: ``HTTPCacheError/notSignedIn`` where its account is not signed in at the commit; errors of the queue.
    func enqueue(_ write: QueuedWrite, effects: [RowEffect]) async throws

    /// Returns the waiting writes that a later one must not overtake, in their order.
    func waiting() throws -> [WaitingWrite]

    /// Sends the waiting writes about an object now, with the writes that have to be sent before them.
    ///
    /// Returns when none of them waits any more, or when they cannot be sent now.
    func sendWaiting(about object: ObjectName) async throws

    /// Returns the authentication state. Writes are made under its account, and sent, queued and stored while that
    /// account stays signed in.
    func authenticationState() throws -> AuthenticationState

    /// Returns the verdict on the response to a write that was sent directly: the same as if the queue had sent it.
    ///
    /// - Throws: the error that ended a successful response too early; the server may have the write then.
    func verdict(reading response: TransportResponse, to write: QueuedWrite) async throws(TransportError) -> Verdict

    /// Returns the time that is left of the wait that a server requested (`Retry-After`) in any part of the program;
    /// nil when there is none, which is the default.
    ///
    /// - Parameter server: scheme and authority, as `https://api.example.com`.
    func serverWait(of server: String) throws -> Duration?

    /// Records that a server requested a wait, for every part of the program. The default does nothing.
    func recordServerWait(_ wait: Duration, of server: String) async throws

    /// The schedule for trying writes again, which also applies to writes in memory. The default is that of an outbox.
    var schedule: WriteSchedule { get }

    /// The number of times an account signed in or out. A request made before the last time carries an earlier
    /// session's credentials.
    var signInCount: Int { get }

    /// Starts the renewal of an account's login, because the server responded to a write with 401.
    ///
    /// - Parameters:
    ///   - account: the account that the write was made under; nil where there are no accounts.
    ///   - signIns: ``signInCount`` when the write's request was made.
    /// - Returns: whether the login is being renewed, or was since; false by default.
    func reportUnauthorized(_ account: String?, since signIns: Int) -> Bool
}

extension WriteQueue {
    /// Returns nil: no wait.
    ///
    /// - Throws: nothing.
    public func serverWait(of server: String) throws -> Duration? { nil }

    /// Does nothing.
    ///
    /// - Throws: nothing.
    public func recordServerWait(_ wait: Duration, of server: String) async throws {}

    /// The default schedule of an outbox.
    public var schedule: WriteSchedule { WriteSchedule() }

    /// Zero.
    public var signInCount: Int { 0 }

    /// Renews nothing, and returns false.
    public func reportUnauthorized(_ account: String?, since signIns: Int) -> Bool { false }

    /// Whether a write waits that a later one must not overtake.
    ///
    /// - Throws: as ``waiting()``.
    public func hasWaiting() throws -> Bool { try !waiting().isEmpty }
}
