internal import LarderEngine
internal import Synchronization

/// A write that waits for its commit.
final class PendingWrite: Sendable {
    let durability: Durability
    private let body: @Sendable (inout Transaction) throws -> Void
    private let state = Mutex(State.waiting(nil))

    private enum State {
        case waiting(CheckedContinuation<Void, any Error>?)
        case begun(CheckedContinuation<Void, any Error>?)
        case ended(Result<Void, any Error>)
    }

    init(durability: Durability, body: @escaping @Sendable (inout Transaction) throws -> Void) {
        self.durability = durability
        self.body = body
    }

    /// Runs the body; may be called again in another transaction.
    func run(_ transaction: inout Transaction) throws {
        try body(&transaction)
    }

    /// Marks the write as begun. False when it was cancelled before and must not run.
    func begin() -> Bool {
        state.withLock { state in
            switch state {
            case .waiting(let continuation):
                state = .begun(continuation)
                return true
            case .begun: return true
            case .ended: return false
            }
        }
    }

    /// Ends the wait with the write's outcome.
    func finish(_ outcome: Result<Void, any Error>) {
        end(outcome, unlessBegun: false)
    }

    /// Ends the wait unless the write has begun.
    func cancel() {
        end(.failure(CancellationError()), unlessBegun: true)
    }

    /// Returns when the write has ended.
    func outcome() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let known = state.withLock { state -> Result<Void, any Error>? in
                switch state {
                case .waiting: state = .waiting(continuation)
                case .begun: state = .begun(continuation)
                case .ended(let outcome): return outcome
                }
                return nil
            }
            if let known { continuation.resume(with: known) }
        }
    }

    private func end(_ outcome: Result<Void, any Error>, unlessBegun: Bool) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            switch state {
            case .waiting(let continuation):
                state = .ended(outcome)
                return continuation
            case .begun(let continuation) where !unlessBegun:
                state = .ended(outcome)
                return continuation
            case .begun, .ended: return nil
            }
        }
        waiter?.resume(with: outcome)
    }
}
