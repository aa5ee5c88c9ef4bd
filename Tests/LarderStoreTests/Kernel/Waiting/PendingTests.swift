// Proves that a pending value reaches each of its waiters once, and that a cancelled wait ends without the others'.

import LarderStore
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
}
