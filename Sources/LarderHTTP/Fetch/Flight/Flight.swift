import LarderStore
import Synchronization

/// One request to the server, and the callers that wait for its result.
///
/// It is cancelled when its last participant leaves, unless it runs in the background or still stores its body.
final class Flight: Sendable {
    /// The result for the caller that started the flight, as soon as it is known.
    enum Delivery: Sendable {
        /// The server's answer; its body arrives through the pipe.
        case streamed(Streamed)
        /// A stored response, which the server confirmed or completed.
        case stored(Stored)
    }

    /// The head of the server's answer, while its body still arrives.
    struct Streamed: Sendable {
        var serverResponse: CacheExchange.ServerResponse
        /// The response that is being stored; nil when none is.
        var stored: StoredResponse?
        var storage: CacheReason
    }

    /// The stored response at the end of the flight.
    struct Stored: Sendable {
        var entry: CachedResponse
        var origin: AnswerOrigin
        var storage: CacheReason
    }

    /// The result for callers that joined, at the end of the flight.
    enum Outcome: Sendable {
        case stored(Stored)
        /// Not stored, for this reason: only the first caller receives the answer.
        case notStored(CacheReason)
        case failed(HTTPCacheError)
    }

    private struct State {
        var participants = 1
        /// Whether it continues without participants.
        var isBackground = false
        /// Whether an unread body is read to its end and stored.
        var isFinishing = false
        /// Whether the whole body has arrived: from then on it is stored even without participants.
        var isComplete = false
        /// Whether its answer must not be stored, because its responses changed meanwhile, or storing was refused.
        var isStorageForbidden = false
        /// Whether its result is known.
        var isOver = false
        var isCancelled = false
        var task: Task<Void, Never>?
    }

    let cacheKey: String
    let tags: Set<String>
    let pipe: BodyPipe
    let delivery = DeferredValue<Result<Delivery, HTTPCacheError>>()
    let outcome = DeferredValue<Outcome>()
    /// Fulfilled when its work has ended.
    let ended = DeferredValue<Bool>()
    private let state = Mutex(State())

    /// Creates a flight with one participant; it has not started.
    init(cacheKey: String, tags: Set<String>, unreadLimit: Int) {
        self.cacheKey = cacheKey
        self.tags = tags
        pipe = BodyPipe(limit: unreadLimit)
    }

    /// Starts the work; only this flight cancels it.
    func start(_ work: @escaping @Sendable () async -> Void) {
        let task = Task {
            await work()
            ended.fulfil(true)
        }
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Adds a participant; returns false once the flight is over, cancelled or not stored.
    func join() -> Bool {
        state.withLock { state in
            guard !state.isOver, !state.isCancelled, !state.isStorageForbidden else { return false }
            state.participants += 1
            // Under the lock, as every bind and unbind, so that the pipe follows the last change.
            pipe.unbind()
            return true
        }
    }

    /// Removes a participant.
    func leave() {
        let task = state.withLock { state -> Task<Void, Never>? in
            state.participants -= 1
            // The reader is the only participant again, unless it is the one that left.
            if state.participants == 1, !state.isBackground { pipe.bind() }
            return Self.abandoned(&state)
        }
        task?.cancel()
    }

    /// Sets whether an unread body is still read to its end.
    func finishUnread(_ isFinishing: Bool) {
        let task = state.withLock { state in
            state.isFinishing = isFinishing
            return Self.abandoned(&state)
        }
        task?.cancel()
    }

    /// Returns the task to cancel when no participant is left.
    private static func abandoned(_ state: inout State) -> Task<Void, Never>? {
        guard state.participants == 0, !state.isComplete, !state.isBackground, !state.isFinishing else { return nil }
        state.isCancelled = true
        return state.task
    }

    /// Lets the flight continue when its participants leave.
    func detach() {
        state.withLock { state in
            // An answer that is not stored is of no use to a later caller.
            if !state.isStorageForbidden { state.isBackground = true }
        }
    }

    /// Cancels the flight at once.
    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            state.isStorageForbidden = true
            return state.task
        }
        task?.cancel()
    }

    /// Records that the whole body has arrived.
    func markComplete() { state.withLock { $0.isComplete = true } }

    /// Whether it continues without participants.
    var isBackground: Bool { state.withLock { $0.isBackground } }

    /// Whether its body is read to its end only because it is short.
    var isUnread: Bool { state.withLock { $0.participants == 0 && !$0.isBackground } }

    /// Whether its answer must not be stored.
    var isStorageForbidden: Bool { state.withLock { $0.isStorageForbidden } }

    /// Prevents its answer from being stored, and further callers from joining.
    func forbidStorage() { state.withLock { $0.isStorageForbidden = true } }

    /// Reports that the answer is not stored: joined callers start their own requests.
    func reportNotStored(_ because: CacheReason) {
        state.withLock { state in
            state.isStorageForbidden = true
            state.isBackground = false
            // The joined callers leave: the body may have any length and has one reader.
            pipe.bind()
        }
        finishUnread(false)
        outcome.fulfil(.notStored(because))
    }

    /// Publishes the result; no caller joins from now on.
    func complete(_ outcome: Outcome) {
        // Set before the result is published: a caller that repeats its request then begins another flight.
        state.withLock { $0.isOver = true }
        switch outcome {
        case .stored(let stored): delivery.fulfil(.success(.stored(stored)))
        case .failed(let error): delivery.fulfil(.failure(error))
        case .notStored: break
        }
        self.outcome.fulfil(outcome)
    }
}

/// The participation of one caller; releasing it leaves the flight.
final class FlightParticipant: Sendable {
    let flight: Flight
    /// Whether its holder began the flight, and reads the body as it arrives.
    let isFirst: Bool

    init(_ flight: Flight, isFirst: Bool) {
        self.flight = flight
        self.isFirst = isFirst
    }

    deinit {
        if isFirst { flight.pipe.abandon() }
        flight.leave()
    }

    /// Waits until its holder can continue, or the task is cancelled.
    func wait() async {
        if isFirst { _ = await flight.delivery.value() } else { _ = await flight.outcome.value() }
    }
}
