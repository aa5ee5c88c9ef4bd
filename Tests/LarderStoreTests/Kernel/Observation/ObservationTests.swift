// Proves that observers get each change of their own region, from any open of the file, until their task or store ends.

import LarderFormat
import Testing

@testable import LarderStore

@Suite struct `An observer` {
    private let directory = TemporaryStore()

    @Test func `gets the value there is, then each newer one it has time for`() async throws {
        let store = try directory.open()
        var values = store.values(in: .row(key(1))) { view in try view.payload(at: key(1)) }.makeAsyncIterator()
        let first = try await values.next()
        #expect(first == .some(nil))
        try await store.write { try $0.put([1], at: key(1), updatedAt: 1) }
        let second = try await values.next()
        #expect(second == .some([1]))
        for number in UInt8(2)...9 { try await store.write { try $0.put([number], at: key(1), updatedAt: 1) } }
        // What lay between was skipped over.
        let last = try await values.next()
        #expect(last == .some([9]))
        try store.close()
    }

    @Test func `receives changes of its own region only`() async throws {
        let store = try directory.open()
        let regions: [Region] = [
            .row(key(1)), .rows(key(1)...key(5)), .type("translation", of: translations), .resource(translations),
            .group("translations"), .everything,
        ]
        var observers = regions.map { store.changes(in: $0).makeAsyncIterator() }
        let other = RowKey(resource: translations, type: "other", key: "1")
        let steps = [
            key(1, tafsirs), key(1, ResourceKey("translations", 20)), other, key(7), key(4), key(1),
        ]
        for step in steps { try await store.put([step]) }
        // Each is woken first by the step its region begins with.
        for (index, expected) in [[key(1)], [key(4), key(1)], [key(7), key(4), key(1)]].enumerated() {
            let seen = await observers[index].next()
            #expect(seen?.rows.values.reduce(into: Set()) { $0.formUnion($1.upserts) } == Set(expected))
        }
        #expect(await observers[3].next()?.rows[translations]?.upserts == [other, key(7), key(4), key(1)])
        #expect(await observers[4].next().map { Set($0.rows.keys) } == [translations, ResourceKey("translations", 20)])
        #expect(await observers[5].next()?.rows.count == 3)
        try store.close()
    }

    @Test func `receives a swap, a withdrawal, and changes of the outbox and of a filter`() async throws {
        let store = try directory.open()
        var row = store.changes(in: .row(key(1))).makeAsyncIterator()
        var outbox = store.changes(in: .outbox).makeAsyncIterator()
        var filter = store.changes(in: .filter("translations:*")).makeAsyncIterator()
        try await store.replace(translations, with: [])
        #expect(await row.next()?.replaced == [translations])
        try await store.write { try $0.withdraw(translations, at: ServerPosition(0, 1), as: .hidden) }
        #expect(await row.next()?.replaced == [translations])
        try await store.write { try $0.enqueue(draft(1)) }
        #expect(await outbox.next()?.lanes == ["a"])
        try await store.write { try $0.updateFilter("translations:*") { $0.token = "t" } }
        #expect(await filter.next()?.filters == ["translations:*"])
        try store.close()
    }

    @Test func `receives the final upserts and removals, and a range when there are too many`() async throws {
        let store = try directory.open()
        var changes = store.changes(in: .resource(translations)).makeAsyncIterator()
        try await store.put([key(1), key(2), key(3)])
        try await store.write { transaction in
            try transaction.removeRow(at: key(1))
            try transaction.removeRow(at: key(2))
            try transaction.put([], at: key(2), updatedAt: 1)
        }
        let few = await changes.next()?.rows[translations]
        #expect(few?.upserts == [key(2), key(3)])
        #expect(few?.removals == [key(1)])
        try await store.put((10..<300).map { key($0) })
        let many = await changes.next()?.rows[translations]
        #expect(many?.isComplete == false)
        #expect(many?.range == key(10)...key(299))
        try store.close()
    }

    @Test func `receives nothing of a write that failed`() async throws {
        struct Refused: Error {}
        let store = try directory.open()
        var changes = store.changes().makeAsyncIterator()
        await #expect(throws: Refused.self) {
            try await store.write { transaction in
                try transaction.put([], at: key(1), updatedAt: 1)
                throw Refused()
            }
        }
        try await store.put([key(2)])
        #expect(await changes.next()?.rows[translations]?.upserts == [key(2)])
        try store.close()
    }

    @Test func `of another open of the same file receives the change too`() async throws {
        let first = try directory.open()
        let second = try directory.open()
        var changes = second.changes().makeAsyncIterator()
        try await first.put([key(1)])
        #expect(await changes.next()?.rows[translations]?.upserts == [key(1)])
        try first.close()
        try second.close()
    }

    @Test func `ends with its task`() async throws {
        let store = try directory.open()
        let (began, signal) = AsyncStream.makeStream(of: Void.self)
        let observer = Task {
            var count = 0
            for try await _ in store.values(in: .everything, { view in view.commit }) {
                count += 1
                signal.finish()
            }
            return count
        }
        for await _ in began {}
        observer.cancel()
        #expect(try await observer.value == 1)
        try store.close()
    }

    @Test func `ends with the store, whether it waits, begins late, or has something to read`() async throws {
        let store = try directory.open()
        var late = store.values(in: .everything) { view in view.commit }.makeAsyncIterator()
        var pending = store.values(in: .everything) { view in view.commit }.makeAsyncIterator()
        _ = try await pending.next()
        let (began, signal) = AsyncStream.makeStream(of: Void.self)
        let waiting = Task {
            for await _ in store.changes(in: .outbox) {}
            for try await _ in store.values(in: .outbox, { _ in signal.finish() }) {}
        }
        try await store.write { try $0.enqueue(draft(1)) }
        try store.close()
        try await waiting.value
        signal.finish()
        for await _ in began {}
        #expect(try await pending.next() == nil)
        #expect(try await late.next() == nil)
    }

    @Test(.timeLimit(.minutes(10)))
    func `may be iterated by several tasks: each change reaches one, the end reaches all`()
        async throws
    {
        let store = try directory.open()
        let changes = store.changes(in: .resource(translations))
        let observers = (0..<3).map { _ in
            Task { () -> [RowKey] in
                var seen: [RowKey] = []
                for await change in changes { seen += change.rows[translations]?.upserts ?? [] }
                return seen
            }
        }
        for number in 1...6 {
            // All wait again before the next change, so that none of them is merged.
            try await store.eventually { changes.subscription.waiterCount == 3 }
            try await store.put([key(number)])
        }
        try await store.eventually { changes.subscription.waiterCount == 3 }
        try store.close()
        var seen: [RowKey] = []
        for observer in observers { seen += await observer.value }
        #expect(seen.sorted() == (1...6).map { key($0) })
    }

    @Test(.timeLimit(.minutes(10))) func `that is cancelled leaves others of the same sequence waiting`() async throws {
        let store = try directory.open()
        let changes = store.changes(in: .resource(translations))
        let cancelled = Task { () -> Bool in
            var iterator = changes.makeAsyncIterator()
            return await iterator.next() == nil
        }
        try await store.eventually { changes.subscription.waiterCount == 1 }
        let other = Task { () -> Set<RowKey>? in
            var iterator = changes.makeAsyncIterator()
            return await iterator.next()?.rows[translations]?.upserts
        }
        try await store.eventually { changes.subscription.waiterCount == 2 }
        cancelled.cancel()
        #expect(await cancelled.value)
        try await store.put([key(1)])
        #expect(await other.value == [key(1)])
        try store.close()
    }
}
