public import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Logging
internal import Synchronization

/// Keeps points that come often, such as where the device is, and uploads them many at a time.
///
/// Points are made under the account that is signed in and uploaded only while it is; each account has its own ring.
/// It runs with its outbox (``Outbox/run()``), whose server, credentials, network and session it shares.
/// What is sent when is decided by a pure step function; this is the shell that performs it.
public final class BufferUploader: Sendable {
    let outbox: Outbox
    let name: String
    let policy: BufferPolicy
    let state = Mutex(UploaderState())
    let timer: WakeTimer

    /// An uploader that runs with its outbox; points may be appended before.
    ///
    /// - Parameter name: the buffer's name, such as `locations`; see ``BufferName``.
    public init(outbox: Outbox, name: String = "locations", policy: BufferPolicy = .locations) {
        precondition(policy.isSound, "a part of the policy is out of its range")
        self.outbox = outbox
        timer = WakeTimer(outbox.store.host.sleepUntil)
        self.name = name
        self.policy = policy
        outbox.addCompanion { [weak self] in await self?.run() }
    }

    /// Makes a point durable, under the account that is signed in, be its login expired.
    ///
    /// - Parameters:
    ///   - json: the point, one JSON value in UTF-8; what it says is not looked at.
    ///   - time: when it was recorded, in milliseconds since 1970-01-01 UTC.
    /// - Returns: how the ring is now.
    /// - Throws: ``OutboxError/notSignedIn``, also when the account was signed out meanwhile;
    ///   ``StoreError/invalid(_:)`` above `Limits.bufferPoint`; `ServerMismatch` while writes or points of another server are
    ///   unsent; what the store throws.
    @discardableResult
    public func append(_ json: [UInt8], at time: Int64) async throws -> BufferState {
        guard let ring = ring(of: outbox.gateBroadcast.current) else { throw OutboxError.notSignedIn }
        return try await outbox.store.write {
            [limit = policy.limit, server = outbox.configuration.server] transaction in
            try transaction.checkSignedIn(as: ring.account)
            try transaction.bindServer(server, to: .outbox)
            return try transaction.appendPoint(json, to: ring, at: time, limit: limit)
        }
    }

    /// Makes a place of the device durable; otherwise as ``append(_:at:)``.
    @discardableResult
    public func append(_ point: LocationPoint) async throws -> BufferState {
        try await append(point.json, at: point.timestamp)
    }

    /// How the ring of the account that is signed in is.
    ///
    /// - Throws: ``StoreError``, `EngineError`.
    public var bufferState: BufferState {
        get throws {
            guard let ring = ring(of: outbox.gateBroadcast.current) else { return BufferState() }
            return try outbox.store.read { view in try view.buffer(ring) } ?? BufferState()
        }
    }

    /// The host has come to the foreground: what waits is tried at once, as far as the server did not ask for more
    /// time.
    public func foreground() { post(.event(.foreground)) }

    func ring(of gate: SessionGate) -> BufferName? {
        switch gate {
        case .signedIn(let account), .expired(let account): BufferName(name, account: account)
        case .signedOut: nil
        }
    }

    func post(_ input: UploaderInput) { state.withLock { _ = $0.inputs?.yield(input) } }
}

/// What the shell holds besides the pure machine, while it runs.
struct UploaderState {
    var inputs: AsyncStream<UploaderInput>.Continuation?
    var machine: UploadMachine?
    var network: Bool?
    var sending: Task<Void, Never>?
    /// Raised when what is under way is given up, so that its answer is not taken for another's.
    var epoch = 0
}

/// What the loop of the shell is told.
enum UploaderInput: Sendable {
    /// Something for the machine.
    case event(UploadEvent)
    /// The request that was begun in an epoch is over.
    case answered(Answer, epoch: Int)
    /// Who is signed in.
    case session(SessionGate)
    /// The ring may be another than the machine thinks.
    case changed
}
