import LarderStore
import Synchronization

/// Limits how many exchanges run at a time. Waiting ones run by priority, and equal ones in the order of their arrival.
final class ExchangeLimiter: Sendable {
    private let turns: KeyedSemaphore<Int>
    private let steps = Atomic(0)

    /// A limiter of `limit` exchanges at a time.
    init(limit: Int) {
        turns = KeyedSemaphore(limit: limit)
    }

    /// A number that changes whenever an exchange receives a head or a chunk, and whenever a slot is released.
    var progress: Int { steps.load(ordering: .relaxed) }

    /// Records progress of an exchange that holds a slot.
    func recordProgress() { steps.wrappingAdd(1, ordering: .relaxed) }

    /// Acquires a slot without waiting, and returns whether it did.
    func tryAcquire() -> Bool { turns.tryAcquire(0) }

    /// Waits for a slot; returns true when it is acquired, and false when the calling task is cancelled.
    ///
    /// A caller that gets true must call ``release()`` once.
    func acquire(_ priority: FetchPriority, for exchange: ObjectIdentifier) async -> Bool {
        await turns.acquire(0, priority: priority.rawValue, name: exchange)
    }

    /// Raises the priority of a waiting exchange; it runs after those that have the priority already.
    func raise(_ exchange: ObjectIdentifier, to priority: FetchPriority) {
        turns.raisePriority(exchange, of: 0, to: priority.rawValue)
    }

    /// Releases a slot, to the first waiter if there is one.
    func release() {
        recordProgress()
        turns.release(0)
    }
}
