internal import Synchronization

/// Wakes a loop at one time, which the next one replaces.
package final class WakeTimer: Sendable {
    private let sleepUntil: @Sendable (Duration) async throws -> Void
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// A timer that is not set.
    ///
    /// - Parameter sleepUntil: returns at a time of the clock that never jumps, and throws when its task is cancelled.
    package init(_ sleepUntil: @escaping @Sendable (Duration) async throws -> Void) {
        self.sleepUntil = sleepUntil
    }

    /// Calls `wake` at `time`, in place of what was set before; nil: not at all.
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
