import LarderStore
import Synchronization

/// Limits how many exchanges run at a time. Of those that wait, the one of the highest priority goes first, and of
/// equals the one that came first.
final class ExchangeLimiter: Sendable {
    private let turns: TurnQueue<Int>
    private let steps = Atomic(0)

    /// A limiter of `limit` exchanges at a time.
    init(limit: Int) {
        turns = TurnQueue(limit: limit)
    }

    /// Changes whenever an exchange gets a head or a chunk, and whenever a slot is released.
    var progress: Int { steps.load(ordering: .relaxed) }

    /// Notes that an exchange that holds a slot advances.
    func noteProgress() { steps.wrappingAdd(1, ordering: .relaxed) }

    /// Whether the caller has got a slot, without waiting.
    func acquireAtOnce() -> Bool { turns.tryAcquire(0) }

    /// Returns true when the caller has a slot, and false when its task is cancelled.
    ///
    /// A caller that gets true must call ``release()`` once.
    func acquire(_ priority: FetchPriority, for exchange: ObjectIdentifier) async -> Bool {
        await turns.acquire(0, priority: priority.rawValue, name: exchange)
    }

    /// Raises the priority of a waiting exchange; it goes behind those that have the priority already.
    func raise(_ exchange: ObjectIdentifier, to priority: FetchPriority) {
        turns.raise(exchange, of: 0, to: priority.rawValue)
    }

    /// Releases a slot, to the first waiter if there is one.
    func release() {
        noteProgress()
        turns.release(0)
    }
}
