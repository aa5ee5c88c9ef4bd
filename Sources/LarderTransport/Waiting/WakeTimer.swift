internal import Synchronization

/// Wakes a loop at one time; setting a new time replaces the old one.
package final class WakeTimer: Sendable {
    private let sleepUntil: @Sendable (Duration) async throws -> Void
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// Creates a timer that is not set.
    ///
    /// - Parameter sleepUntil: Returns at a time of the monotonic clock, and throws when its task is cancelled.
    package init(_ sleepUntil: @escaping @Sendable (Duration) async throws -> Void) {
        self.sleepUntil = sleepUntil
    }

    /// Calls `wake` at `time` instead of any time set before; nil cancels the timer.
    package func set(_ time: Duration?, _ wake: @escaping @Sendable () -> Void = {}) {
        let next = time.map { time in
            Task { [sleepUntil] in
                do { try await sleepUntil(time) } catch { return }
                wake()
            }
        }
        let old = task.withLock { task in
            defer { task = next }
            return task
        }
        old?.cancel()
    }
}
