import LarderStore
import Synchronization

/// One request to the server, and the callers waiting for its result.
///
/// Runs while it has participants; cancelled when the last one leaves.
final class Flight: Sendable {
    /// The result for the caller that started the flight, as soon as it is known.
    enum Delivery: Sendable {
        /// The server's answer; its body comes through the pipe.
        case streamed(Streamed)
        /// A stored response, which the server confirmed or completed.
        case kept(Kept)
    }

    /// What the server answered, while its body still comes.
    struct Streamed: Sendable {
        var exchange: CacheExchange.Answered
        /// As what it is being stored; nil when it is not.
        var stored: StoredResponse?
        var storage: CacheReason
    }

    /// What is stored when the flight is over.
    struct Kept: Sendable {
        var entry: CachedResponse
        var origin: AnswerOrigin
        var storage: CacheReason
    }

    /// The result for callers that joined, when the flight is over.
    enum Outcome: Sendable {
        case kept(Kept)
        /// Not stored, for this reason: only the first caller receives the answer.
        case notKept(CacheReason)
        case failed(HTTPCacheError)
    }

    private struct State {
        var participants = 1
        /// Whether it continues without participants.
        var isBackground = false
        /// Whether an unread body is read to its end and stored.
        var isFinishing = false
        /// Whether the body has come whole: storing it is not given up any more.
        var isSettling = false
        /// Whether its answer must not be stored: what it was asked for has changed, or was cleared, since.
        var isSpoiled = false
        /// Whether what comes of it is known.
        var isOver = false
        var isCancelled = false
        var task: Task<Void, Never>?
    }

    let cacheKey: String
    let tags: Set<String>
    let pipe: BodyPipe
    let delivery = Pending<Result<Delivery, HTTPCacheError>>()
    let outcome = Pending<Outcome>()
    /// Set when its work has ended.
    let ended = Pending<Bool>()
    private let state = Mutex(State())

    /// A flight with one participant, that has not begun.
    init(cacheKey: String, tags: Set<String>, unreadLimit: Int) {
        self.cacheKey = cacheKey
        self.tags = tags
        pipe = BodyPipe(limit: unreadLimit)
    }

    /// Starts the work, which only this flight cancels.
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

    /// Joins; false once it is over or cancelled.
    func join() -> Bool {
        state.withLock { state in
            guard !state.isOver, !state.isCancelled, !state.isSpoiled else { return false }
            state.participants += 1
            // Under the lock, as everything that binds or unbinds: the last word is that of the last change.
            pipe.unbind()
            return true
        }
    }

    /// Takes part no more.
    func leave() {
        let task = state.withLock { state -> Task<Void, Never>? in
            state.participants -= 1
            // The reader is alone again, unless the reader is the participant that left.
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

    /// The task to cancel when no participant is left.
    private static func abandoned(_ state: inout State) -> Task<Void, Never>? {
        guard state.participants == 0, !state.isSettling, !state.isBackground, !state.isFinishing else { return nil }
        state.isCancelled = true
        return state.task
    }

    /// Continues whatever participants leave.
    func goOnAlone() {
        state.withLock { state in
            // An answer that is not stored is of no use to a later caller.
            if !state.isSpoiled { state.isBackground = true }
        }
    }

    /// Ends at once.
    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            state.isSpoiled = true
            return state.task
        }
        task?.cancel()
    }

    /// The body has come whole.
    func markComplete() { state.withLock { $0.isSettling = true } }

    /// Whether it continues without participants.
    var isBackground: Bool { state.withLock { $0.isBackground } }

    /// Whether its body is read to its end only because it is short.
    var isUnread: Bool { state.withLock { $0.participants == 0 && !$0.isBackground } }

    /// Whether its answer must not be stored.
    var isSpoiled: Bool { state.withLock { $0.isSpoiled } }

    /// Its answer is not stored, and nobody joins it any more.
    func spoil() { state.withLock { $0.isSpoiled = true } }

    /// The answer is not stored: joined callers start their own requests.
    func reportNotStored(_ because: CacheReason) {
        state.withLock { state in
            state.isSpoiled = true
            state.isBackground = false
            // The joined readers leave: the body may have any length and has one reader.
            pipe.bind()
        }
        finishUnread(false)
        outcome.fulfil(.notKept(because))
    }

    /// Publishes the result; no caller joins from now on.
    func conclude(_ outcome: Outcome) {
        // Before anybody hears of it: who has heard and asks again begins another.
        state.withLock { $0.isOver = true }
        switch outcome {
        case .kept(let kept): delivery.fulfil(.success(.kept(kept)))
        case .failed(let error): delivery.fulfil(.failure(error))
        case .notKept: break
        }
        self.outcome.fulfil(outcome)
    }
}

/// A participant's handle; releasing it leaves the flight.
final class FlightTicket: Sendable {
    let flight: Flight
    /// Whether its holder began the flight, and reads the body as it comes.
    let isFirst: Bool

    init(_ flight: Flight, isFirst: Bool) {
        self.flight = flight
        self.isFirst = isFirst
    }

    deinit {
        if isFirst { flight.pipe.abandon() }
        flight.leave()
    }

    /// Returns when its holder can go on, or the task is cancelled.
    func wait() async {
        if isFirst { _ = await flight.delivery.value() } else { _ = await flight.outcome.value() }
    }
}
