internal import LarderStore
internal import Synchronization

/// One fetch under way, with its waiters.
///
/// A waiter that is cancelled leaves the others waiting. The fetch continues, since its value serves the next caller.
final class QueryFlight: Sendable {
    /// The relation of its value to the stored one.
    enum Kind: Sendable {
        /// It replaces the stored value.
        case whole
        /// It contains the stored value, and more.
        case addition
    }

    /// The type of its value: one key may be requested with two types.
    let type: ObjectIdentifier
    let kind: Kind
    /// The number of the table when it began.
    let beganAt: UInt64
    private let outcome = DeferredValue<Result<any Sendable, any Error>>()
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// Creates a fetch that has not begun.
    init(_ type: ObjectIdentifier, _ kind: Kind, beganAt: UInt64) {
        self.type = type
        self.kind = kind
        self.beganAt = beganAt
    }

    /// Begins the work; `body` calls ``finish(_:)`` at its end.
    func begin(_ body: @escaping @Sendable () async -> Void) {
        let begun = Task { await body() }
        task.withLock { $0 = begun }
        if case .failure? = outcome.current { begun.cancel() }
    }

    /// Ends the fetch with its outcome; later calls do nothing.
    func finish(_ outcome: Result<any Sendable, any Error>) { self.outcome.fulfil(outcome) }

    /// Cancels the fetch: waiters receive `CancellationError`.
    func cancel() {
        finish(.failure(CancellationError()))
        task.withLock { $0 }?.cancel()
    }

    /// Waits for the outcome, or until the waiting task is cancelled.
    func value() async throws -> any Sendable {
        guard let outcome = await outcome.value() else { throw CancellationError() }
        return try outcome.get()
    }
}
