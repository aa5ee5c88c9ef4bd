package import HTTPTypes
internal import LarderFormat
public import LarderStore
public import LarderTransport
internal import Synchronization

/// Keeps writes until the server has them, and sends them in order, once, whatever dies in between.
///
/// A write is durable when ``enqueue(_:)`` returns; what the server says is awaited separately (``outcome(of:)``). The host starts
/// it once (``run()``); it sends what waits whenever there is a network, also writes that transactions of the host enqueued.
/// What is sent when, and what answers mean, is decided by a pure step function; this is the shell that performs it.
///
/// One outbox sends per store, whatever processes have it open; others enqueue, say which process sends
/// (``OutboxStatus/deliverer``), and take over when it ends. docs/internals/outbox.md tells the rules.
public final class Outbox: Sendable {
    package let store: Store
    /// The header field that carries the idempotency key.
    package var keyField: HTTPField.Name { configuration.keyField }
    /// The authentication state that the outbox goes by.
    package var gate: SessionGate { state.withLock { $0.gate } }
    let transport: any Transport
    let configuration: OutboxConfiguration
    package let policy: OutboxPolicy
    let credentials: any Credentials
    let connectivity: any ConnectivitySource
    let onEvent: @Sendable (OutboxEvent) -> Void
    let state: Mutex<OutboxState>
    let timer: WakeTimer
    let statusBroadcast = StateBroadcast(OutboxStatus())
    /// Held while the right to send is asked for: a command and a run of this outbox share it.
    let claiming = Mutex(())
    /// Granted, by the name of a buffer, to the one uploader of it that runs.
    let uploads = TurnQueue<String>()
    /// Who is signed in, for what sends beside the outbox.
    let gateBroadcast: StateBroadcast<SessionGate>

    /// An outbox that does not run yet; writes may be enqueued all the same.
    ///
    /// - Parameters:
    ///   - account: who is signed in; nil where there are no accounts. See ``signedIn(as:)``.
    ///   - connectivity: how the network is.
    ///   - onEvent: told what happens, on whatever thread it happens; must be quick.
    public init(
        store: Store, transport: any Transport, configuration: OutboxConfiguration,
        policy: OutboxPolicy = OutboxPolicy(), credentials: any Credentials = FixedCredentials(),
        account: String? = nil, connectivity: any ConnectivitySource,
        onEvent: @escaping @Sendable (OutboxEvent) -> Void = { _ in }
    ) {
        precondition(policy.isSound, "a part of the policy is out of its range")
        self.store = store
        self.transport = transport
        self.configuration = configuration
        var policy = policy
        policy.resolvesConflicts = policy.resolvesConflicts || configuration.conflicts != nil
        self.policy = policy
        self.credentials = credentials
        self.connectivity = connectivity
        self.onEvent = onEvent
        state = Mutex(OutboxState(gate: .signedIn(account)))
        timer = WakeTimer(store.host.sleepUntil)
        gateBroadcast = StateBroadcast(.signedIn(account))
    }

    /// Tells who is signed in from now on; what other accounts wrote waits until they are again.
    ///
    /// Readers see it all the same: without a ``Session``, which refuses another account while writes are unsent, use a
    /// store for each account (`Store.accountPath(base:account:)`).
    public func signedIn(as account: String?) { setGate(.signedIn(account)) }

    /// Tells that nobody is signed in: nothing is sent.
    public func signedOut() { setGate(.signedOut) }

    /// The host has come to the foreground: what waits is tried at once, as far as the server did not ask for more time.
    ///
    /// What another process has enqueued or changed, such as an extension of the app, is seen then even where the system
    /// announces no writes to the file.
    public func foreground() { post(.event(.foreground)) }

    /// How often the gate was set: a request that was made before the last time carries an earlier session's credentials.
    package var signIns: Int { state.withLock { $0.gates } }

    /// Notes that the server refused an account's credentials in answer to a request that is no entry's, unless somebody has signed in
    /// since it was made: the account's writes pause, and its login is renewed.
    ///
    /// - Parameter signIns: how often the gate was set when the request was made.
    /// - Returns: false where nothing comes of it: the outbox does not run, or has another account.
    @discardableResult
    package func noteUnauthorized(_ account: String?, since signIns: Int) -> Bool {
        state.withLock { state in
            if state.gates != signIns { return true }
            guard let loop = state.loop, state.gate.admits(account) else { return false }
            loop.inputs.yield(.event(.unauthorized(account)))
            return true
        }
    }

    package func setGate(_ gate: SessionGate) {
        state.withLock { state in
            state.gate = gate
            state.gates += 1
            if let loop = state.loop {
                state.untakenGates += 1
                loop.inputs.yield(.event(.session(gate)))
            }
            gateBroadcast.set(gate)
        }
    }

    /// Tells the loop; false while there is none.
    @discardableResult
    func post(_ input: OutboxInput) -> Bool {
        state.withLock { state in
            if case .enqueued? = state.loop?.inputs.yield(input) { true } else { false }
        }
    }

    func moment() -> Moment { Moment(elapsed: store.host.elapsed(), now: store.host.now()) }
}

/// What the shell holds besides the pure machine, under one lock.
struct OutboxState {
    /// What is held while the outbox runs.
    struct Loop {
        var machine: DeliveryMachine
        /// The version of the table that the machine has seen; nil before the first.
        var version: OutboxVersion?
        let inputs: AsyncStream<OutboxInput>.Continuation
        /// The requests under way.
        var flights: [UUIDBytes: Task<Void, Never>] = [:]
        /// The answers that could not be stored yet.
        var unstored: [OutboxAnswer] = []
        /// Whether a look at what others have done waits for its turn.
        var isLookDue = false
        /// Those that wait until nothing more can be sent.
        var drains: [Drain] = []
        /// The entries whose conflicts are being resolved, and what each of these waits for.
        var resolutions: [UUIDBytes: ResolutionWait] = [:]
        /// How much else is done that ends by itself: renewing the login, loading what a write has become, refreshing.
        var tasks = 0
    }

    var gate: SessionGate
    /// What else runs while the outbox does: the session that is attached to it, and the buffers made over it.
    var companions: [Companion] = []
    /// Starts one of them beside the run under way.
    var starting: AsyncStream<Companion>.Continuation?
    /// The credentials that the server refused last.
    var refused: HTTPFields?
    /// Whether a run cannot begin because the store cannot keep which server it is for.
    var isStartHeld = false
    /// Whether a run has begun, be it that it only waits for another outbox to end.
    var isReserved = false
    /// The run that drains have begun, and how many of them wait for it: it ends with the last.
    var draining: (run: Task<Void, Never>, drains: Int)?
    /// The drains that wait for the loop of a run that has begun.
    var earlyDrains: [Drain] = []
    /// Held while this outbox is the one that sends, or carries out a command by itself.
    var ownership: OutboxOwnership?
    /// The commands that are being carried out under it.
    var commands = 0

    /// Gives the ownership away for release, unless a run or a command needs it.
    mutating func takeIdleOwnership() -> OutboxOwnership? { isReserved || commands > 0 ? nil : ownership.take() }
    /// How often the gate was set.
    var gates = 0
    /// How often the gate was set and the loop has not heard of it yet.
    var untakenGates = 0
    var loop: Loop?
    /// Who is to be told when an entry has its outcome.
    var settlers: [UUIDBytes: [@Sendable () async -> Void]] = [:]
}

/// What the loop of the shell is told.
enum OutboxInput: Sendable {
    /// Something for the machine.
    case event(DeliveryEvent)
    /// The table may have changed.
    case look
    /// A request is over.
    case flight(OutboxAnswer)
    /// Somebody wants something done, and to know whether it was.
    case command(OutboxCommand)
    /// Somebody waits until nothing more can be sent.
    case drain(Drain)
    /// A conflict is settled for the server.
    case settled(Settlement)
    /// The resolution of an entry's conflict waits, or is over.
    case resolution(UUIDBytes, ResolutionWait?)
    /// Something that a drain waits for is over.
    case taskEnded
}

/// How a request ended.
struct OutboxAnswer: Sendable {
    /// That of its entry, or of a batch.
    let key: UUIDBytes
    let answer: FlightAnswer
    /// What it brought, by entry.
    let accepted: [UUIDBytes: AcceptedAnswer]
}

/// What the resolution of a conflict waits for.
enum ResolutionWait {
    /// The server's answer, or the policy.
    case answer
    /// The next time that the server is asked.
    case time(Duration)
    /// The account, to be signed in.
    case signIn(String?)
}

/// A wait until nothing more can be sent before a time.
struct Drain {
    let deadline: Duration
    /// Finished when that is so.
    let end: AsyncStream<Never>.Continuation
}

/// Something that runs while an outbox does.
typealias Companion = @Sendable () async -> Void

/// A part of a transaction.
typealias Alongside = @Sendable (inout Transaction) throws -> Void

/// Something that is wanted of the machine, and who waits for it.
struct OutboxCommand: Sendable {
    let act: OutboxAct
    /// Told when it is stored, or why it is not.
    let answer: CheckedContinuation<Result<Void, any Error>, Never>
}
