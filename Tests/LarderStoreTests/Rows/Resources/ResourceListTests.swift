// Proves that an app's list of resources holds none of the library's own.
import LarderFormat
import LarderStore
import Testing

@Suite struct `The list of resources` {
    /// It held `:queries/0` and `class:Note/0`.
    @Test func `leaves out the library's own, unless their group is named`() async throws {
        let temporary = TemporaryStore()
        let store = try temporary.open()
        let own = ResourceKey("class:Note", 0)
        for resource in [ResourceKey("notes", 1), own, ResourceKey(":queries", 0)] {
            try await store.write { transaction in
                try transaction.put([1], at: RowKey(resource: resource, type: "note", key: "1"), updatedAt: 1)
            }
        }
        let (listed, named, all) = try store.read { view in
            (try view.resources(), try view.resources(inGroup: "class:Note"), try view.allResources())
        }
        #expect(listed.map(\.key) == [ResourceKey("notes", 1)])
        #expect(named.map(\.key) == [own] && all.count == 3)
    }
}
