// Proves that turns are granted in order and up to the limit, and that a cancelled wait neither keeps a turn nor loses one.

import LarderStore
import Synchronization
import Testing

/// What tasks share.
private final class Shared<Value: Sendable>: Sendable {
    private let state: Mutex<Value>
    init(_ value: Value) { state = Mutex(value) }
    var value: Value { state.withLock { $0 } }
    func update(_ change: (inout Value) -> Void) { state.withLock { change(&$0) } }
}

@Suite struct `A queue of turns` {
    private let served = Shared<[Int]>([])

    /// Waits for a turn of `queue`, notes `number` and gives the turn back.
    private func serve(
        _ number: Int, of queue: KeyedSemaphore<Int>, priority: Int = 0, name: ObjectIdentifier? = nil
    ) -> Task<Void, Never> {
        // It is in the line when the initializer returns.
        Task.immediate { [served] in
            guard await queue.acquire(0, priority: priority, name: name) else { return }
            served.update { $0.append(number) }
            queue.release(0)
        }
    }

    @Test func `grants turns in the order of the calls`() async {
        let queue = KeyedSemaphore<Int>()
        #expect(queue.tryAcquire(0))
        let tasks = (1...20).map { serve($0, of: queue) }
        #expect(served.value == [])
        queue.release(0)
        for task in tasks { await task.value }
        #expect(served.value == Array(1...20))
    }

    @Test func `grants as many turns of each key as its limit says`() async {
        let queue = KeyedSemaphore<Int>(limit: 2)
        #expect(queue.tryAcquire(0))
        #expect(await queue.acquire(0))
        #expect(!queue.tryAcquire(0))
        #expect(queue.tryAcquire(1))
        let task = serve(1, of: queue)
        queue.release(0)
        await task.value
        #expect(queue.tryAcquire(0))
        #expect(!queue.tryAcquire(0))
    }

    @Test func `orders turns by priority, and equal ones by the order of the calls`() async {
        let queue = KeyedSemaphore<Int>()
        #expect(queue.tryAcquire(0))
        let name = ObjectIdentifier(KeyedSemaphore<Int>.self)
        let waiting: [(number: Int, priority: Int, name: ObjectIdentifier?)] = [
            (1, 0, nil), (2, 5, nil), (3, 0, name), (4, 5, nil), (5, 9, nil),
        ]
        let tasks = waiting.map { serve($0.number, of: queue, priority: $0.priority, name: $0.name) }
        queue.raisePriority(name, of: 0, to: 5)
        // A priority is never lowered, and a key that has no line is not given one.
        queue.raisePriority(name, of: 0, to: 1)
        queue.raisePriority(name, of: 7, to: 9)
        queue.release(0)
        for task in tasks { await task.value }
        #expect(served.value == [5, 2, 4, 3, 1])
    }

    @Test func `removes a cancelled task, and the others continue to wait`() async {
        let queue = KeyedSemaphore<Int>()
        #expect(queue.tryAcquire(0))
        let tasks = (1...3).map { serve($0, of: queue) }
        tasks[1].cancel()
        await tasks[1].value
        queue.release(0)
        for task in tasks { await task.value }
        #expect(served.value == [1, 3])
        #expect(queue.tryAcquire(0))
    }

    @Test func `grants no turn to a task that is cancelled already, unless it cannot be cancelled`() async {
        let queue = KeyedSemaphore<Int>()
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            let isGranted = await queue.acquire(0)
            if isGranted { queue.release(0) }
            return (isGranted, await queue.acquire(0, isCancellable: false))
        }
        let (isGranted, isGrantedAnyway) = await task.value
        #expect(!isGranted)
        #expect(isGrantedAnyway)
        let waiting = Task.immediate { await queue.acquire(0, isCancellable: false) }
        waiting.cancel()
        queue.release(0)
        #expect(await waiting.value)
    }

    @Test func `loses no turn when a cancellation races with the grant`() async {
        let queue = KeyedSemaphore<Int>()
        for _ in 0..<2000 {
            #expect(queue.tryAcquire(0))
            let waiting = Task.immediate { await queue.acquire(0) }
            async let released: Void = queue.release(0)
            async let cancelled: Void = waiting.cancel()
            _ = await (released, cancelled)
            if await waiting.value { queue.release(0) }
        }
        #expect(queue.tryAcquire(0))
        #expect(!queue.tryAcquire(0))
    }

    @Test func `serves many waiters, never more at once than the limit`() async {
        let queue = KeyedSemaphore<Int>(limit: 3)
        let running = Shared((now: 0, most: 0, all: 0))
        await withDiscardingTaskGroup { group in
            for _ in 0..<500 {
                group.addTask {
                    await queue.acquire(0)
                    running.update { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.all + 1) }
                    await Task.yield()
                    running.update { $0.now -= 1 }
                    queue.release(0)
                }
            }
        }
        let (now, most, all) = running.value
        #expect(now == 0)
        #expect((1...3).contains(most))
        #expect(all == 500)
    }
}
