// Waiting for asynchronous work on the thread of a command.

import Dispatch
import Synchronization

/// Runs asynchronous work to its end, blocking the thread.
func blocking(_ body: @escaping @Sendable () async throws -> Void) throws {
    let end = DispatchSemaphore(value: 0)
    let failure = Mutex<(any Error)?>(nil)
    Task.detached {
        do { try await body() } catch { failure.withLock { $0 = error } }
        end.signal()
    }
    end.wait()
    if let error = failure.withLock({ $0 }) { throw error }
}
