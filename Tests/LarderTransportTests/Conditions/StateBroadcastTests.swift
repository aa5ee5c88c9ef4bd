// Proves that a reader of states can be cancelled while a state is being set. The cancellation of a task and a yield to its stream exclude
// each other, so a lock that both acquire made them wait for each other for ever.
import Foundation
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A broadcast of states` {
    /// Two semaphores, with which a test holds a comparison of states.
    private final class ComparisonLatch: Sendable {
        let isReached = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)
    }

    private struct SlowState: Equatable, Sendable {
        let number: Int
        let hold: ComparisonLatch

        static func == (old: SlowState, new: SlowState) -> Bool {
            if new.number == 2 {
                new.hold.isReached.signal()
                new.hold.mayGoOn.wait()
            }
            return old.number == new.number
        }
    }

    @Test func `lets a reader be cancelled while a state is set`() async {
        let hold = ComparisonLatch()
        let broadcast = StateBroadcast(SlowState(number: 1, hold: hold))
        let reader = Task { for await _ in broadcast.states() {} }
        while broadcast.subscriberCount == 0 { await Task.yield() }
        // It reads the first state, and waits.
        for _ in 0..<1000 { await Task.yield() }
        let isCancelled = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                Thread.detachNewThread { broadcast.set(SlowState(number: 2, hold: hold)) }
                hold.isReached.wait()
                let ended = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    reader.cancel()
                    ended.signal()
                }
                let result = ended.wait(timeout: .now() + 10)
                hold.mayGoOn.signal()
                continuation.resume(returning: result == .success)
            }
        }
        #expect(isCancelled)
        await reader.value
        #expect(broadcast.current.number == 2)
    }
}
