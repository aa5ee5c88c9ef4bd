// Proves that accepted writes beyond one commit's limit are released in parts by later commits, also after a reopen.

import LarderFormat
import LarderStore
import Testing

/// More than one commit looks at.
private let many = Transaction.releaseRowLimit + 100

@Suite(.timeLimit(.minutes(10))) struct `The rest of accepted writes after one commit` {
    @Test func `is released by the commits after it, a part at a time`() async throws {
        let fixture = try await ReleaseFixture()
        let store = fixture.store
        try await fixture.enqueue(1, (1...many).map { localEffect($0) })
        try await fixture.accept(1, at: 12)
        let before = store.writerStatistics.bulkCommits
        try await store.write { try $0.update(translations) { $0.appliedSequence = 12 } }
        try await ReleaseFixture.wait(in: store) { try fixture.overlays.isEmpty }
        #expect(try store.keys(.all(of: translations)) == ["1", "2", "3"])
        // 256 by the commit itself, 100 by two of 64 at most.
        try await ReleaseFixture.wait(in: store) { store.writerStatistics.bulkCommits >= before + 2 }
        #expect(store.writerStatistics.bulkCommits == before + 2)
        #expect(try store.findings() == [])
    }

    @Test func `is reported to observers`() async throws {
        let fixture = try await ReleaseFixture()
        try await fixture.enqueue(1, (1...many).map { localEffect($0) })
        try await fixture.accept(1, at: 12)
        var changes = fixture.store.changes(in: .everything).makeAsyncIterator()
        try await fixture.store.write { try $0.update(translations) { $0.appliedSequence = 12 } }
        let all = Set((1...many).map { key($0) })
        var reported: Set<RowKey> = []
        while reported != all, let change = await changes.next() {
            guard let rows = change.rows[translations] else { continue }
            // Changes that wait for their reader are joined, and too many are not listed one by one.
            reported.formUnion(
                rows.isComplete ? rows.upserts.union(rows.removals) : all.filter { rows.range.contains($0) })
        }
        #expect(reported == all)
        try fixture.store.close()
    }

    @Test func `is found after the next open`() async throws {
        let fixture = try await ReleaseFixture()
        try await fixture.enqueue(1, (1...many).map { localEffect($0) })
        try await fixture.accept(1, at: 12)
        try fixture.store.close()
        // As if the process had ended between the commit that raised the applied sequence and the one after it.
        let raw = try RawStore(fixture.temporary.path)
        let record = try #require(try raw.records().first { $0.table == .resources })
        var resource = try ResourceRecord(decoding: record.body.rawSpan)
        resource.appliedSequence = 12
        let value = Record.seal(
            body: resource.encode().rawSpan, key: record.key.rawSpan, seed: TableName.resources.seed)
        try raw.replace([record], by: [RawRecord(table: .resources, key: record.key, value: value)])
        try raw.close()
        let store = try fixture.temporary.open()
        try await ReleaseFixture.wait(in: store) {
            try store.read { view in try view.overlays(of: translations) }.isEmpty
        }
        #expect(try store.keys(.all(of: translations)) == ["1", "2", "3"])
        #expect(try store.findings() == [])
    }

    @Test func `over a list whose pass was interrupted by the process end is materialized after the next open`()
        async throws
    {
        let fixture = try await ReleaseFixture(isHeld: false)
        _ = try fixture.store.beginPass(over: translations)
        try await fixture.enqueue(1, [localEffect(1)])
        try await fixture.accept(1)
        #expect(try fixture.overlays.count == 1)
        try fixture.store.close()
        let store = try fixture.temporary.open()
        try await ReleaseFixture.wait(in: store) {
            try store.read { view in try view.overlays(of: translations) }.isEmpty
        }
        #expect(try store.read { view in try view.payload(at: key(1)) } == bytes("mine"))
        #expect(try store.findings() == [])
    }

    @Test func `over a list is released by the end of the pass in several commits`() async throws {
        let fixture = try await ReleaseFixture(isHeld: false)
        let pass = try fixture.store.beginPass(over: translations)
        try await fixture.enqueue(1, (1...150).map { localEffect($0) })
        try await fixture.accept(1)
        let before = fixture.store.writerStatistics.bulkCommits
        await fixture.store.endPass(pass, isComplete: true)
        #expect(fixture.store.writerStatistics.bulkCommits == before + 3)
        #expect(try fixture.overlays == [])
        #expect(try fixture.store.keys(.all(of: translations)).count == 150)
        #expect(try fixture.store.findings() == [])
    }

    @Test func `is released with the last filter that held it, however much it is`() async throws {
        let fixture = try await ReleaseFixture()
        try await fixture.store.write { try $0.updateFilter("tafsirs:*") { $0.run = 1 } }
        try await fixture.enqueue(1, (1...many).map { localEffect($0) })
        try await fixture.accept(1, at: 500)
        try await fixture.store.removeFilter(ReleaseFixture.filter)
        try await ReleaseFixture.wait(in: fixture.store) { try fixture.overlays.isEmpty }
        #expect(try fixture.store.keys(.all(of: translations)) == [])
        #expect(try fixture.store.findings() == [])
    }

    @Test func `is released even if another overlay was applied over it meanwhile`() async throws {
        let fixture = try await ReleaseFixture()
        try await fixture.enqueue(1, [RowEffect(.patch(bytes(#"{"b":1}"#)), at: key(1))])
        try await fixture.accept(1, at: 12)
        try await fixture.enqueue(2, [RowEffect(.patch(bytes(#"{"c":1}"#)), at: key(1))])
        #expect(try fixture.text(1) == #"{"a":1,"b":1,"c":1}"#)
        try await fixture.store.write { transaction in try transaction.update(translations) { $0.appliedSequence = 12 }
        }
        #expect(try fixture.overlays.map(\.entryID) == [draft(2).id])
        #expect(try fixture.text(1) == #"{"a":1,"c":1}"#)
        #expect(try fixture.store.findings() == [])
    }
}
