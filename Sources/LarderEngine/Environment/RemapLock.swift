private import Synchronization

/// A lock that any number of readers share, and that excludes them while the map moves.
///
/// Moving LMDB's map beneath a reader ends the process. Therefore a reader holds the lock for the duration of its read,
/// and a resize waits until all have released it. A read costs two atomic additions.
final class RemapLock: Sendable {
    private static let exclusiveBit: UInt64 = 1 << 63

    private let state = Atomic<UInt64>(0)
    private let monitor = Monitor()

    /// Acquires the lock shared; waits while it is held exclusively.
    func lockShared() {
        while true {
            let (old, _) = state.add(1, ordering: .acquiringAndReleasing)
            if old & Self.exclusiveBit == 0 { return }
            unlockShared()
            monitor.locked {
                while state.load(ordering: .acquiring) & Self.exclusiveBit != 0 { monitor.wait() }
            }
        }
    }

    /// Releases the shared lock, and wakes the thread that waits for the last reader.
    func unlockShared() {
        let (_, new) = state.subtract(1, ordering: .acquiringAndReleasing)
        if new == Self.exclusiveBit { monitor.locked { monitor.signalAll() } }
    }

    /// Keeps new readers out, waits until all others have released the lock, runs `body` and releases the lock.
    ///
    /// - Parameter milliseconds: the time to wait; nil waits for ever.
    /// - Returns: nil when the time ran out, and `body` did not run.
    func withExclusiveLock<Result>(within milliseconds: Int?, _ body: () throws -> Result) rethrows -> Result? {
        // Only the writer thread and a close acquire the lock exclusively, and a close ends the writer thread first.
        _ = state.bitwiseOr(Self.exclusiveBit, ordering: .acquiringAndReleasing)
        defer {
            _ = state.bitwiseAnd(~Self.exclusiveBit, ordering: .acquiringAndReleasing)
            monitor.locked { monitor.signalAll() }
        }
        let isAcquired = monitor.locked {
            while state.load(ordering: .acquiring) != Self.exclusiveBit {
                if let milliseconds {
                    if !monitor.wait(milliseconds: milliseconds) {
                        return state.load(ordering: .acquiring) == Self.exclusiveBit
                    }
                } else {
                    monitor.wait()
                }
            }
            return true
        }
        return isAcquired ? try body() : nil
    }
}
