private import Synchronization

/// A gate that any number of readers can pass, and none while the map moves.
///
/// Moving LMDB's map beneath a reader ends the process. Therefore a reader enters for the duration of its read, and a
/// resize waits until all have left. Passing costs two atomic additions.
final class RemapGate: Sendable {
    private static let shut: UInt64 = 1 << 63

    private let state = Atomic<UInt64>(0)
    private let monitor = Monitor()

    /// Enters, waiting while the gate is shut.
    func enter() {
        while true {
            let (old, _) = state.add(1, ordering: .acquiringAndReleasing)
            if old & Self.shut == 0 { return }
            leave()
            monitor.locked {
                while state.load(ordering: .acquiring) & Self.shut != 0 { monitor.wait() }
            }
        }
    }

    /// Leaves, and wakes the thread that waits for the last reader.
    func leave() {
        let (_, new) = state.subtract(1, ordering: .acquiringAndReleasing)
        if new == Self.shut { monitor.locked { monitor.signalAll() } }
    }

    /// Shuts the gate, waits until all readers have left, runs `body` and opens the gate again.
    ///
    /// - Parameter milliseconds: the time to wait; nil waits for ever.
    /// - Returns: nil when the time ran out, and `body` did not run.
    func exclusively<Result>(within milliseconds: Int?, _ body: () throws -> Result) rethrows -> Result? {
        // Only the writer thread and a close shut the gate, and a close ends the writer thread first.
        _ = state.bitwiseOr(Self.shut, ordering: .acquiringAndReleasing)
        defer {
            _ = state.bitwiseAnd(~Self.shut, ordering: .acquiringAndReleasing)
            monitor.locked { monitor.signalAll() }
        }
        let isEmpty = monitor.locked {
            while state.load(ordering: .acquiring) != Self.shut {
                if let milliseconds {
                    if !monitor.wait(milliseconds: milliseconds) {
                        return state.load(ordering: .acquiring) == Self.shut
                    }
                } else {
                    monitor.wait()
                }
            }
            return true
        }
        return isEmpty ? try body() : nil
    }
}
