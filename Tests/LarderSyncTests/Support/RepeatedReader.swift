// RepeatedReader: a thread that reads all the time and counts unexpected results. PeakTransport: counts concurrency.

import Foundation
import HTTPTypes
import LarderStore
import LarderTransport
import Synchronization

/// A thread that reads all the time and counts how often it does not see what it should.
final class RepeatedReader: Sendable {
    private struct State {
        var reads = 0
        var wrong = 0
        var isOver = false
    }

    /// What the thread knows: nothing of the watch, so that it ends with one that a test throws away.
    private final class SharedCounts: Sendable {
        let state = Mutex(State())
        let done = DispatchSemaphore(value: 0)
    }

    private let thread = SharedCounts()

    init(_ store: Store, _ isRight: @escaping @Sendable (borrowing ReadView) throws -> Bool) {
        let counts = thread
        Thread {
            while !counts.state.withLock({ $0.isOver }) {
                let isFine = (try? store.read { view in try isRight(view) }) ?? false
                counts.state.withLock {
                    $0.reads += 1
                    if !isFine { $0.wrong += 1 }
                }
            }
            counts.done.signal()
        }.start()
    }

    deinit { thread.state.withLock { $0.isOver = true } }

    /// Stops the thread, and says how often it looked and what it saw.
    func stop() -> (looks: Int, wrong: Int) {
        thread.state.withLock { $0.isOver = true }
        thread.done.wait()
        return thread.state.withLock { ($0.reads, $0.wrong) }
    }
}

/// A transport that counts the snapshot requests that waited for a response head at the same time.
final class PeakTransport: Transport {
    private let base: any Transport
    private let state = Mutex((now: 0, highest: 0))

    init(_ base: any Transport) {
        self.base = base
    }

    var highest: Int { state.withLock { $0.highest } }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        guard request.path?.contains("snapshots") == true else {
            return try await base.send(request, body: body, timeouts: timeouts)
        }
        state.withLock {
            $0.now += 1
            $0.highest = max($0.highest, $0.now)
        }
        defer { state.withLock { $0.now -= 1 } }
        return try await base.send(request, body: body, timeouts: timeouts)
    }
}
