// Proves that removing a filter withdraws the resources that no other filter holds.

import LarderFormat
import LarderStore
import Testing

@Suite struct `Removing a filter` {
    @Test func `withdraws what no other filter holds, and removes its rows`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        try await store.replace(translations, with: [(key(1), bytes("shared"))])
        try await store.replace(tafsirs, with: [(key(1, tafsirs), bytes("own"))])
        try await store.write { transaction in
            for (text, members) in [("both", [translations, tafsirs]), ("one", [translations])] {
                let number = try transaction.updateFilter(text) { $0.token = "token" }
                for member in members {
                    try transaction.putMember(ofFilter: number, member, MemberRecord(listedInRun: 1))
                }
            }
        }
        try await store.removeFilter("both")
        try await store.removeFilter("unknown")
        try await store.reclaim()
        #expect(try store.read { view in try view.filters() }.map(\.filter) == ["one"])
        #expect(try store.keys(.all(of: translations)) == ["1"])
        #expect(try store.keys(.all(of: tafsirs)) == [])
        let left = try store.read { view in try view.resource(tafsirs) }
        #expect(left?.state == .empty)
        #expect(left?.appliedSequence == 1)
        #expect(try store.statistics().generations.counts == [1, 0, 0])
        #expect(try store.findings() == [])
        try store.close()
    }
}
