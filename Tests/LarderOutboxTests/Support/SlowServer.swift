// SlowServer: a server that answers when the test opens it.

import HTTPTypes
import LarderTransport
import Synchronization

/// A server that answers when it is let.
final class SlowServer: Sendable {
    private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])
    private let isOpen = Mutex(false)

    var count: Int { waiting.withLock { $0.count } }

    func answer() async -> TransportResponse {
        await withCheckedContinuation { waiter in
            let isAlreadyOpen = isOpen.withLock { isOpen in
                if !isOpen { waiting.withLock { $0.append(waiter) } }
                return isOpen
            }
            if isAlreadyOpen { waiter.resume() }
        }
        return TransportResponse(status: .ok)
    }

    func open() {
        let waiters = isOpen.withLock { isOpen in
            isOpen = true
            return waiting.withLock { waiters in
                defer { waiters = [] }
                return waiters
            }
        }
        for waiter in waiters { waiter.resume() }
    }
}
