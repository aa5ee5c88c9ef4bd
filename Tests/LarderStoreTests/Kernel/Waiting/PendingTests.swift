// Proves that a pending value reaches each of its waiters once, and that a cancelled wait ends without the others'.

import Dispatch
import LarderStore
import Synchronization
import Testing

@Suite struct `A pending value` {
    @Test func `is the first that is set, before and after it is waited for`() async {
        let pending = DeferredValue<Int>()
        #expect(pending.current == nil)
        let early = Task.immediate { await pending.value() }
        pending.fulfil(1)
        pending.fulfil(2)
        #expect(pending.current == 1)
        #expect(await early.value == 1)
        #expect(await pending.value() == 1)
    }

    @Test func `reaches every waiter`() async {
        let pending = DeferredValue<Int>()
        let waiting = (0..<500).map { _ in Task.immediate { await pending.value() } }
        pending.fulfil(7)
        for task in waiting { #expect(await task.value == 7) }
    }

    @Test func `does not reach a cancelled task, and still reaches the others`() async {
        let pending = DeferredValue<Int>()
        let waiting = (0..<3).map { _ in Task.immediate { await pending.value() } }
        waiting[1].cancel()
        #expect(await waiting[1].value == nil)
        pending.fulfil(7)
        #expect(await waiting[0].value == 7)
        #expect(await waiting[2].value == 7)
    }

    @Test func `is not waited for by a task that is cancelled already, but read when it is there`() async {
        let pending = DeferredValue<Int>()
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            let before = await pending.value()
            pending.fulfil(7)
            return (before, await pending.value())
        }
        let (before, after) = await task.value
        #expect(before == nil)
        #expect(after == 7)
    }

    @Test func `ends the wait, with or without a value, when a cancellation races with it`() async {
        for number in 0..<2000 {
            let pending = DeferredValue<Int>()
            let waiting = Task.immediate { await pending.value() }
            async let fulfilled: Void = pending.fulfil(number)
            async let cancelled: Void = waiting.cancel()
            _ = await (fulfilled, cancelled)
            let value = await waiting.value
            #expect(value == nil || value == number)
            #expect(pending.current == number)
        }
    }

    @Test func `is waited for where the caller is`() async {
        let waiter = Waiter()
        let (value, jobs) = await waiter.waitCancelled(for: DeferredValue())
        #expect(value == nil)
        #expect(jobs == 0)
    }
}

/// An actor that counts the jobs it runs: one more each time that it is left and entered again.
private actor Waiter {
    private nonisolated let executor = CountingExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Waits in a task that is cancelled, so that the wait ends at once.
    func waitCancelled(for pending: DeferredValue<Int>) async -> (value: Int?, jobs: Int) {
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        let before = executor.jobs.load(ordering: .relaxed)
        let value = await pending.value()
        return (value, executor.jobs.load(ordering: .relaxed) - before)
    }
}

private final class CountingExecutor: SerialExecutor {
    let jobs = Atomic(0)
    private let queue = DispatchQueue(label: "larder.test")

    func enqueue(_ job: consuming ExecutorJob) {
        jobs.add(1, ordering: .relaxed)
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
