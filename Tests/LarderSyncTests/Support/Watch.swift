import Foundation
import HTTPTypes
import LarderStore
import LarderTransport
import Synchronization

/// A thread that reads all the time and counts how often it does not see what it should.
final class Watch: Sendable {
    private struct State {
        var looks = 0
        var wrong = 0
        var isOver = false
    }

    /// What the thread knows: nothing of the watch, so that it ends with one that a test throws away.
    private final class Looks: Sendable {
        let state = Mutex(State())
        let done = DispatchSemaphore(value: 0)
    }

    private let thread = Looks()

    init(_ store: Store, _ isRight: @escaping @Sendable (borrowing ReadView) throws -> Bool) {
        let looks = thread
        Thread {
            while !looks.state.withLock({ $0.isOver }) {
                let isFine = (try? store.read { view in try isRight(view) }) ?? false
                looks.state.withLock {
                    $0.looks += 1
                    if !isFine { $0.wrong += 1 }
                }
            }
            looks.done.signal()
        }.start()
    }

    deinit { thread.state.withLock { $0.isOver = true } }

    /// Stops the thread, and says how often it looked and what it saw.
    func end() -> (looks: Int, wrong: Int) {
        thread.state.withLock { $0.isOver = true }
        thread.done.wait()
        return thread.state.withLock { ($0.looks, $0.wrong) }
    }
}

/// A transport that knows how many full copies were asked for at the same time, until their heads came.
final class Peak: Transport {
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
