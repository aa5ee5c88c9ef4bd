package import HTTPTypes
internal import LarderFormat
public import LarderStore
public import LarderTransport
internal import Synchronization

/// Keeps writes until the server has them, and sends them in order, once, even if a process or connection ends in
/// between.
///
/// A write is durable when ``enqueue(_:)`` returns; its outcome is awaited separately (``outcome(of:)``). The host
/// starts the outbox once (``run()``). It sends waiting writes whenever there is a network, also writes that
/// transactions of the host enqueued. A pure step function decides what is sent when, and what responses mean; this
/// class performs its effects.
///
/// One outbox sends per store, whatever processes have it open. Others enqueue, report which process sends
/// (``OutboxStatus/deliverer``), and one of them sends when it ends. See docs/internals/outbox.md for the rules.
///
/// ```swift
/// let outbox = Outbox.system(
///     store: store, transport: transport, configuration: OutboxConfiguration(base: base))
/// let running = Task { try await outbox.run() }  // sends writes in order, each once
/// let write = OutboxWrite("note.put", .put, "/notes/17", body: .bytes(text), entity: "note/17")
/// let queued = try await outbox.enqueue(write)  // durable from here on, also without a network
/// print(try await outbox.outcome(of: queued.id))  // waits for the server
/// running.cancel()
/// ```
public final class Outbox: Sendable {
    package let store: Store
    /// The header field that carries the idempotency key.
    package var keyField: HTTPField.Name { configuration.keyField }
    /// The authentication state that the outbox uses.
    package var authentication: AuthenticationState { state.withLock { $0.authentication } }
    let transport: any Transport
    let configuration: OutboxConfiguration
    package let policy: OutboxPolicy
    let credentials: any Credentials
    let connectivity: any ConnectivitySource
    let onEvent: @Sendable (OutboxEvent) -> Void
    let state: Mutex<OutboxState>
    let timer: WakeTimer
    let statusBroadcast = StateBroadcast(OutboxStatus())
    /// Held while the ownership is acquired or released: a command and a run of this outbox share it.
    let ownershipLock = Mutex(())
    /// Grants each buffer, by its name, to the one uploader that runs.
    let uploads = KeyedSemaphore<String>()
    /// The authentication state, for what sends outside of the outbox.
    let authenticationBroadcast: StateBroadcast<AuthenticationState>

    /// An outbox that does not run yet; writes may be enqueued all the same.
    ///
    /// - Parameters:
    ///   - store: the store that keeps the writes and their effects.
    ///   - transport: sends the requests.
    ///   - configuration: the server, and the settings for writing to it.
    ///   - policy: the rules of delivery.
    ///   - credentials: supplies the header fields that authenticate a request; none by default.
    ///   - account: the account that is signed in; nil where there are no accounts. See ``signedIn(as:)``.
    ///   - connectivity: the source of the network state.
    ///   - onEvent: called with each event, on any thread; must be quick.
    public init(
        store: Store, transport: any Transport, configuration: OutboxConfiguration,
        policy: OutboxPolicy = OutboxPolicy(), credentials: any Credentials = FixedCredentials(),
        account: String? = nil, connectivity: any ConnectivitySource,
        onEvent: @escaping @Sendable (OutboxEvent) -> Void = { _ in }
    ) {
        precondition(policy.isValid, "a part of the policy is out of its range")
        self.store = store
        self.transport = transport
        self.configuration = configuration
        var policy = policy
        if configuration.conflicts != nil {
            policy.resolvesConflicts = true
            // A resolved write is sent on the condition of the version that was decided on.
            if policy.outcomes == .standard { policy.outcomes = .conditional }
        }
        self.policy = policy
        self.credentials = credentials
        self.connectivity = connectivity
        self.onEvent = onEvent
        state = Mutex(OutboxState(authentication: .signedIn(account)))
        timer = WakeTimer(store.host.sleepUntil)
        authenticationBroadcast = StateBroadcast(.signedIn(account))
    }

    /// Sets the account that is signed in from now on; writes of other accounts wait until those are signed in again.
    ///
    /// Readers see these writes all the same: without a ``Session``, which refuses another account while writes are
    /// unsent, use a store for each account (`Store.accountPath(base:account:)`).
    public func signedIn(as account: String?) { setAuthentication(.signedIn(account)) }

    /// Sets that no account is signed in: nothing is sent.
    public func signedOut() { setAuthentication(.signedOut) }

    /// Reports that the host has come to the foreground: waiting entries are tried at once, as far as the server did
    /// not request more time.
    ///
    /// Changes of another process, such as an extension of the app, are seen then even where the system does not
    /// announce writes to the file.
    public func foreground() { post(.event(.foreground)) }

    /// The number of times the authentication state was set: earlier requests carry an earlier session's credentials.
    package var signIns: Int { state.withLock { $0.authenticationChanges } }

    /// Records that the server refused an account's credentials in response to a request that belongs to no entry: the
    /// account's writes pause, and its login is renewed. Ignored if the state was set since the request was made.
    ///
    /// - Parameter signIns: ``signIns`` when the request was made.
    /// - Returns: false where it has no effect: the outbox does not run, or has another account.
    @discardableResult
    package func reportUnauthorized(_ account: String?, since signIns: Int) -> Bool {
        state.withLock { state in
            if state.authenticationChanges != signIns { return true }
            guard state.loop != nil, state.authentication.allows(account) else { return false }
            state.loop?.post(.event(.unauthorized(account)))
            return true
        }
    }

    package func setAuthentication(_ authentication: AuthenticationState) {
        state.withLock { state in
            state.authentication = authentication
            state.authenticationChanges += 1
            if state.loop != nil {
                state.unhandledAuthenticationChanges += 1
                state.loop?.post(.event(.session(authentication)))
            }
            authenticationBroadcast.set(authentication)
        }
    }

    /// Passes an input to the loop; returns false while there is none.
    @discardableResult
    func post(_ input: OutboxInput) -> Bool {
        state.withLock { $0.loop?.post(input) ?? false }
    }

    func clockReading() -> ClockReading { ClockReading(elapsed: store.host.elapsed(), now: store.host.now()) }
}

/// The state of the outbox besides the pure machine, under one lock.
struct OutboxState {
    /// The state while the outbox runs.
    struct Loop {
        var machine: DeliveryMachine
        /// The version of the table that the machine has seen; nil before the first.
        var version: OutboxVersion?
        let inputs: AsyncStream<OutboxInput>.Continuation
        /// The results of requests that the loop has not handled yet, in groups: one for each input that announces some.
        var ended: [[CompletedTry]] = []
        /// Whether the last of these groups gets the next result.
        var isGroupOpen = false
        /// The tasks of the requests under way.
        var tryTasks: [UUIDBytes: Task<Void, Never>] = [:]
        /// The responses that could not be stored yet.
        var unstored: [CompletedTry] = []
        /// Whether a check for changes of the table is queued.
        var isTableReadQueued = false
        /// The drains that wait until nothing more can be sent.
        var drains: [Drain] = []
        /// The entries whose conflicts are being resolved, and the condition that each of these waits for.
        var resolutions: [UUIDBytes: ResolutionWait] = [:]
        /// The number of other tasks under way that end by themselves: renewing the login, loading a row, refreshing.
        var tasks = 0
    }

    var authentication: AuthenticationState
    /// The tasks that run while the outbox does: those of the attached session, and of the buffers made over it.
    var attachedTasks: [AttachedTask] = []
    /// Starts an attached task beside the run under way.
    var attachedTaskStarter: AsyncStream<AttachedTask>.Continuation?
    /// The credentials that the server refused last.
    var refused: HTTPFields?
    /// Whether a run cannot begin because the store cannot record its server.
    var isStartBlocked = false
    /// Whether a run has begun, even if it only waits for another outbox to end.
    var isReserved = false
    /// The run that drains have begun, and the number of drains that wait for it: it ends with the last.
    var draining: (run: Task<Void, Never>, drains: Int)?
    /// The drains that wait for the loop of a run that has begun.
    var earlyDrains: [Drain] = []
    /// Held while this outbox is the one that sends, or carries out a command by itself.
    var ownership: OutboxOwnership?
    /// The number of commands that are being carried out under it.
    var commands = 0

    /// Removes and returns the ownership for release, unless a run or a command needs it.
    mutating func removeIdleOwnership() -> OutboxOwnership? { isReserved || commands > 0 ? nil : ownership.take() }
    /// The number of times the authentication state was set.
    var authenticationChanges = 0
    /// The number of those that the loop has not handled yet.
    var unhandledAuthenticationChanges = 0
    var loop: Loop?
    /// The closures to call when an entry has its outcome.
    var completionHandlers: [UUIDBytes: [@Sendable () async -> Void]] = [:]
}

extension OutboxState.Loop {
    /// Passes an input to the loop; returns false where the loop has ended. Results that come later are handled behind
    /// it.
    @discardableResult
    mutating func post(_ input: OutboxInput) -> Bool {
        isGroupOpen = false
        return if case .enqueued = inputs.yield(input) { true } else { false }
    }

    /// Passes the result of a request to the loop, together with those that wait there and have no input behind them.
    mutating func complete(_ answer: CompletedTry) {
        if isGroupOpen { return ended[ended.count - 1].append(answer) }
        ended.append([answer])
        post(.triesEnded)
        isGroupOpen = true
    }

    /// Removes and returns the first group of results.
    mutating func removeEnded() -> [CompletedTry] {
        if ended.count == 1 { isGroupOpen = false }
        let answers = ended.removeFirst()
        for answer in answers { tryTasks[answer.key] = nil }
        return answers
    }
}

/// An input of the outbox's loop.
enum OutboxInput: Sendable {
    /// An event for the machine.
    case event(DeliveryEvent)
    /// The table may have changed.
    case tableChanged
    /// Requests have ended.
    case triesEnded
    /// A command for the machine, and the caller that waits for its result.
    case command(OutboxCommand)
    /// A drain that waits until nothing more can be sent.
    case drain(Drain)
    /// A conflict was resolved for the server.
    case conflictResolved(PreparedResolution)
    /// The resolution of an entry's conflict waits, or has ended (nil).
    case resolution(UUIDBytes, ResolutionWait?)
    /// A task that drains wait for has ended.
    case taskEnded
}

/// The result of a request.
struct CompletedTry: Sendable {
    /// The key of its entry, or of a batch.
    let key: UUIDBytes
    let result: TryResult
    /// The content of the response, by entry.
    let accepted: [UUIDBytes: AcceptedResponse]
}

/// The condition that the resolution of a conflict waits for.
enum ResolutionWait {
    /// The server's response, or the policy.
    case response
    /// The next time that the server is asked.
    case time(Duration)
    /// The sign-in of this account.
    case signIn(String?)
}

/// A wait until nothing more can be sent before a deadline.
struct Drain {
    let deadline: Duration
    /// Finished when the wait ends.
    let end: AsyncStream<Never>.Continuation
}

/// A task that runs while an outbox does.
typealias AttachedTask = @Sendable () async -> Void

/// A part of a transaction.
typealias CommitHook = @Sendable (inout Transaction) throws -> Void

/// An event for the machine, and the caller that waits for it.
struct OutboxCommand: Sendable {
    let request: StepRequest
    /// Resumed when the event is stored, or with the reason why it is not.
    let continuation: CheckedContinuation<Result<Void, any Error>, Never>
}
