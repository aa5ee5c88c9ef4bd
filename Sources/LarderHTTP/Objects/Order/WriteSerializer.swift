internal import Synchronization

/// Admits one write to an object at a time, in the order of their calls, so that a later one cannot reach the server first.
///
/// A cancelled task keeps its position and is not resumed early.
final class WriteSerializer: Sendable {
    /// The writes that wait, by the object that a write is under way for.
    private let waiting = Mutex<[ObjectName: [CheckedContinuation<Void, Never>]]>([:])

    /// Waits until no other write to the object is under way; ``release(_:)`` must follow.
    func acquire(_ object: ObjectName) async {
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

    /// Ends a write, and resumes the next one.
    func release(_ object: ObjectName) {
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
