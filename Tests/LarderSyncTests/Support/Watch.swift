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

    private let state = Mutex(State())
    private let done = DispatchSemaphore(value: 0)

    init(_ store: Store, _ isRight: @escaping @Sendable (borrowing ReadView) throws -> Bool) {
        let thread = Thread { [self] in
            while !state.withLock({ $0.isOver }) {
                let isFine = (try? store.read { view in try isRight(view) }) ?? false
                state.withLock {
                    $0.looks += 1
                    if !isFine { $0.wrong += 1 }
                }
            }
            done.signal()
        }
        thread.start()
    }

    /// Stops the thread, and says how often it looked and what it saw.
    func end() -> (looks: Int, wrong: Int) {
        state.withLock { $0.isOver = true }
        done.wait()
        return state.withLock { ($0.looks, $0.wrong) }
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
