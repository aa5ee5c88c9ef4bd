public import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Logging
internal import Synchronization

/// Keeps points that come often, such as locations of the device, and uploads them many at a time.
///
/// Points are made under the account that is signed in and uploaded only while it is; each account has its own ring.
/// The uploader runs with its outbox (``Outbox/run()``), whose server, credentials, network and session it shares. A
/// pure step function decides what is sent when; this class performs its effects.
public final class BufferUploader: Sendable {
    let outbox: Outbox
    let name: String
    let policy: BufferPolicy
    let state = Mutex(UploaderState())
    let timer: WakeTimer

    /// An uploader that runs with its outbox; points may be appended before.
    ///
    /// - Parameters:
    ///   - outbox: the outbox that it runs with.
    ///   - name: the buffer's name, such as `locations`; see `BufferName`.
    ///   - policy: the rules for keeping and uploading points.
    public init(outbox: Outbox, name: String = "locations", policy: BufferPolicy = .locations) {
        precondition(policy.isValid, "a part of the policy is out of its range")
        self.outbox = outbox
        timer = WakeTimer(outbox.store.host.sleepUntil)
        self.name = name
        self.policy = policy
        outbox.addAttachedTask { [weak self] in await self?.run() }
    }

    /// Stores a point durably, under the account that is signed in, even with an expired login.
    ///
    /// - Parameters:
    ///   - json: the point, one JSON value in UTF-8; its content is not checked.
    ///   - time: when it was recorded, in milliseconds since 1970-01-01 UTC.
    /// - Returns: the state of the ring.
    /// - Throws: ``OutboxError/notSignedIn`` when no account is signed in, or it was signed out meanwhile;
    ///   `StoreError.invalid(_:)` above `Limits.bufferPoint`; `ServerMismatch` while writes or points of another
    ///   server are unsent; as `Store.write(durability:_:)`.
    @discardableResult
    public func append(_ json: [UInt8], at time: Int64) async throws -> BufferState {
        guard let ring = ring(of: outbox.authenticationBroadcast.current) else { throw OutboxError.notSignedIn }
        return try await outbox.store.write {
            [limit = policy.limit, server = outbox.configuration.server] transaction in
            try transaction.checkSignedIn(as: ring.account)
            try transaction.bindServer(server, to: .outbox)
            return try transaction.appendPoint(json, to: ring, at: time, limit: limit)
        }
    }

    /// Stores a location of the device durably.
    ///
    /// - Throws: as ``append(_:at:)``.
    @discardableResult
    public func append(_ point: LocationPoint) async throws -> BufferState {
        try await append(point.json, at: point.timestamp)
    }

    /// The state of the ring of the account that is signed in.
    ///
    /// - Throws: `StoreError`, `EngineError`.
    public var bufferState: BufferState {
        get throws {
            guard let ring = ring(of: outbox.authenticationBroadcast.current) else { return BufferState() }
            return try outbox.store.read { view in try view.buffer(ring) } ?? BufferState()
        }
    }

    /// Reports that the host has come to the foreground: waiting points are tried at once, as far as the server did not
    /// request more time.
    public func foreground() { post(.event(.foreground)) }

    func ring(of authentication: AuthenticationState) -> BufferName? {
        switch authentication {
        case .signedIn(let account), .expired(let account): BufferName(name, account: account)
        case .signedOut: nil
        }
    }

    func post(_ input: UploaderInput) { state.withLock { _ = $0.inputs?.yield(input) } }
}

/// The state of the uploader besides the pure machine, while it runs.
struct UploaderState {
    var inputs: AsyncStream<UploaderInput>.Continuation?
    var machine: UploadMachine?
    var network: Bool?
    var sending: Task<Void, Never>?
    /// Increased with each request and each change of account, so that a late response is not used for another request.
    var epoch = 0
}

/// An input of the uploader's loop.
enum UploaderInput: Sendable {
    /// An event for the machine.
    case event(UploadEvent)
    /// The request that began in this epoch has ended.
    case uploadEnded(SendResult, epoch: Int)
    /// The authentication state.
    case session(AuthenticationState)
    /// The stored ring may differ from what the machine knows.
    case changed
}
