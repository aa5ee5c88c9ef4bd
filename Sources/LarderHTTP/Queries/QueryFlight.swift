internal import LarderStore
internal import Synchronization

/// One fetch under way and those who wait for it.
///
/// A waiter that is cancelled leaves the others waiting; the fetch goes on, since its value serves the next asker.
final class QueryFlight: Sendable {
    /// What its value is to the one that is there.
    enum Kind: Sendable {
        /// Takes its place.
        case whole
        /// Holds it, and more.
        case addition
    }

    /// The type of its value: two may be asked for under one key.
    let type: ObjectIdentifier
    let kind: Kind
    /// When it began, as a number of the table.
    let beganAt: UInt64
    private let outcome = Pending<Result<any Sendable, any Error>>()
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// A fetch that has not begun.
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

    /// Gives the fetch up: waiters get `CancellationError`.
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
