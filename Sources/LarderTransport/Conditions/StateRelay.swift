internal import Synchronization

/// The sending end of one stream of states, which omits a state equal to the one before.
package final class StateRelay<State: Equatable & Sendable>: Sendable {
    private let continuation: AsyncStream<State>.Continuation
    private let last = Mutex<(state: State?, number: Int)>((nil, 0))

    private init(_ continuation: AsyncStream<State>.Continuation) {
        self.continuation = continuation
    }

    /// Returns a stream and its sending end; a slow reader gets only the newest state.
    package static func makeStream() -> (stream: AsyncStream<State>, relay: StateRelay<State>) {
        let (stream, continuation) = AsyncStream.makeStream(of: State.self, bufferingPolicy: .bufferingNewest(1))
        return (stream, StateRelay(continuation))
    }

    /// Reports the state to the stream, unless a later one was reported before.
    ///
    /// Call it without a lock that the action of ``onEnd(_:)`` acquires: a yield waits for the end of a cancellation of
    /// the reader, which runs that action.
    ///
    /// - Parameter number: the number of the change that led to the state; nil where one caller reports all states in
    ///   their order.
    package func send(_ state: State, number: Int? = nil) {
        // Yielded under the lock, so that the last element is the last state.
        last.withLock { last in
            guard number ?? last.number >= last.number else { return }
            last.number = number ?? last.number
            guard last.state != state else { return }
            last.state = state
            continuation.yield(state)
        }
    }

    /// Reports a first state to the stream, if none was reported yet.
    package func sendInitial(_ state: State) {
        last.withLock { last in
            guard last.state == nil else { return }
            last.state = state
            continuation.yield(state)
        }
    }

    /// Ends the stream after the states sent.
    package func finish() {
        continuation.finish()
    }

    /// Sets the action that runs once when the stream ends: its reader was cancelled or released, or ``finish()`` was
    /// called.
    ///
    /// Set it before the stream is returned to its reader.
    package func onEnd(_ action: @escaping @Sendable () -> Void) {
        continuation.onTermination = { _ in action() }
    }
}
