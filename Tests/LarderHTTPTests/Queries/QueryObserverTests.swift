// Proves that an observer of a query can be cancelled while the query's state is reported. The cancellation of a task and a yield to its
// stream exclude each other, so a lock that both acquire made them wait for each other for ever.
import Foundation
import LarderHTTP
import LarderStore
import LarderTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The observer of a query that is cancelled` {
    private static let threadName = "reporter"

    @Test func `waits for no report under way`() async throws {
        let isReached = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)
        var host = HostServices.virtual(VirtualClock())
        let now = host.now
        host.now = {
            if Thread.current.name == Self.threadName {
                isReached.signal()
                mayGoOn.wait()
            }
            return now()
        }
        let cache = QueryCache(host: host)
        await cache.set(1, for: ["a"])
        let reader = Task {
            for await _ in cache.states(for: ["a"], fetch: { () async throws -> Int in throw CancellationError() }) {}
        }
        // It reads what there is, and waits.
        for _ in 0..<1000 { await Task.yield() }
        let isCancelled = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                Thread.detachNewThread {
                    Thread.current.name = Self.threadName
                    cache.invalidateSoon(["a"])
                }
                isReached.wait()
                let ended = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    reader.cancel()
                    ended.signal()
                }
                let result = ended.wait(timeout: .now() + 10)
                for _ in 0..<10 { mayGoOn.signal() }
                continuation.resume(returning: result == .success)
            }
        }
        #expect(isCancelled)
        await reader.value
    }
}
