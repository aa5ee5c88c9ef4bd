// Proves the cost of reads in lookups: the record of a resource is looked up once for each commit, whatever views there are.
#if DEBUG
import LarderFormat
import LarderStore
import Testing

@Suite struct `The cost of reads` {
    private let temporary = TemporaryStore()

    /// The cost of a row read in a view of its own.
    private func cost(_ store: Store, _ number: Int = 1, _ resource: ResourceKey = translations) throws -> Cost {
        var isFound = false
        let cost = try Cost { isFound = try store.read { view in try view.row(at: key(number, resource)) != nil } }
        #expect(isFound)
        return cost
    }

    @Test func `a view of a commit that was read before looks up the row alone`() async throws {
        let store = try temporary.open()
        try await store.put([key(1), key(2), key(1, tafsirs)])
        #expect(try cost(store).lookups == 2)
        #expect(try cost(store, 2).lookups == 1)
        #expect(try cost(store, 1, tafsirs).lookups == 2)
        #expect(try cost(store, 1, tafsirs).lookups == 1)
        try await store.put([key(3)])
        #expect(try cost(store, 3).lookups == 2)
        #expect(try cost(store, 3).lookups == 1)
        try store.close()
    }

    @Test func `a view inside a view looks up the row alone`() async throws {
        let store = try temporary.open()
        try await store.put([key(1), key(2)])
        let inner = try store.read { outer in
            _ = try outer.row(at: key(1)) == nil
            return try cost(store, 2)
        }
        #expect(inner.lookups == 1)
        try store.close()
    }

    @Test func `what was looked up ends with its commit`() async throws {
        let store = try temporary.open()
        try await store.put([key(1)])
        #expect(try store.read { view in try view.row(at: key(1)) != nil })
        try await store.write { try $0.withdraw(translations, as: .hidden) }
        #expect(try store.read { view in try view.row(at: key(1)) == nil })
        try store.suspend()
        try await store.put([key(2)])
        #expect(try store.read { view in try view.row(at: key(1)) == nil })
        #expect(try store.read { view in try view.row(at: key(2)) != nil })
        try store.close()
    }
}
#endif
