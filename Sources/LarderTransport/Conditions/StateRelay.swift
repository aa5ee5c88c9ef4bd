internal import Synchronization

/// The sending end of one stream of states, which leaves out a state equal to the one before.
package final class StateRelay<State: Equatable & Sendable>: Sendable {
    private let continuation: AsyncStream<State>.Continuation
    private let last = Mutex<State?>(nil)

    private init(_ continuation: AsyncStream<State>.Continuation) {
        self.continuation = continuation
    }

    /// A stream and the end that feeds it; a reader that lags finds the newest state only.
    package static func makeStream() -> (stream: AsyncStream<State>, relay: StateRelay<State>) {
        let (stream, continuation) = AsyncStream.makeStream(of: State.self, bufferingPolicy: .bufferingNewest(1))
        return (stream, StateRelay(continuation))
    }

    /// Tells the stream that this is the state now.
    package func tell(_ state: State) {
        // Told under the lock, so that the last word is the last state; a yield runs no one's code.
        last.withLock { last in
            guard last != state else { return }
            last = state
            continuation.yield(state)
        }
    }

    /// Tells the stream a state to go on with, if it has been told none yet.
    package func tellUnlessTold(_ state: State) {
        last.withLock { last in
            guard last == nil else { return }
            last = state
            continuation.yield(state)
        }
    }

    /// Ends the stream, behind what was told.
    package func finish() {
        continuation.finish()
    }

    /// What to do once when the stream ends: its reader was cancelled or let go, or ``finish()`` was called.
    ///
    /// To be set before the stream is handed out.
    package func onEnd(_ action: @escaping @Sendable () -> Void) {
        continuation.onTermination = { _ in action() }
    }
}
