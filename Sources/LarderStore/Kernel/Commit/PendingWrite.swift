internal import LarderEngine
internal import Synchronization

/// A write that waits for its commit.
final class PendingWrite: Sendable {
    let durability: Durability
    private let body: @Sendable (inout Transaction) throws -> Void
    private let hasBegun = Mutex(false)
    private let completion = DeferredValue<Result<Void, any Error>>()

    init(durability: Durability, body: @escaping @Sendable (inout Transaction) throws -> Void) {
        self.durability = durability
        self.body = body
    }

    /// Runs the body; may be called again in another transaction.
    func run(_ transaction: inout Transaction) throws {
        try body(&transaction)
    }

    /// Marks the write as begun; returns false when it was cancelled before and must not run.
    func begin() -> Bool {
        hasBegun.withLock { hasBegun in
            hasBegun = completion.current == nil
            return hasBegun
        }
    }

    /// Ends the wait with the write's outcome.
    func finish(_ outcome: Result<Void, any Error>) { completion.fulfil(outcome) }

    /// Waits until the write has ended. Cancelling the task ends a write that has not begun.
    func outcome() async throws {
        if let outcome = await completion.value() { return try outcome.get() }
        hasBegun.withLock { if !$0 { completion.fulfil(.failure(CancellationError())) } }
        // The new task is not cancelled, so it waits for a write that has begun.
        guard let outcome = await Task(operation: { await completion.value() }).value else {
            preconditionFailure("a wait ended without its value")
        }
        try outcome.get()
    }
}
