internal import Synchronization

/// Admits one write about an object at a time, first come, first served, so that a later one cannot reach the server first.
///
/// A task that is cancelled keeps its place, and finds out when its turn comes.
final class WriteTurns: Sendable {
    /// By the objects that a write is under way for: the writes behind it.
    private let waiting = Mutex<[ObjectName: [CheckedContinuation<Void, Never>]]>([:])

    /// Waits for the turn of a write about an object; ``leave(_:)`` must follow.
    func enter(_ object: ObjectName) async {
        await withCheckedContinuation { continuation in
            let isFree = waiting.withLock { waiting in
                if waiting[object] == nil {
                    waiting[object] = []
                    return true
                }
                waiting[object]?.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Ends the turn, and begins the next one.
    func leave(_ object: ObjectName) {
        let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
            guard waiting[object]?.isEmpty == false else {
                waiting[object] = nil
                return nil
            }
            return waiting[object]?.removeFirst()
        }
        next?.resume()
    }
}
