// OtherThread: runs a closure on a thread of its own.

import Foundation

/// Runs a closure on a thread of its own.
final class OtherThread: Sendable {
    private let done = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () -> Void) {
        let done = done
        Thread.detachNewThread {
            body()
            done.signal()
        }
    }

    func join() { done.wait() }
}
