// Proves that sequences of a restored server are never compared with those it reported before.

import LarderFormat
import LarderStore
import Testing

/// What a restored server has counted anew is not held against what it had counted before.
@Suite struct `A write accepted around a server rollback` {
    /// A resource at 10, of the timeline before the present one.
    private func restored() async throws -> ReleaseFixture {
        let fixture = try await ReleaseFixture()
        try await fixture.store.write { try $0.beginTimeline() }
        return fixture
    }

    private func swap(at position: ServerPosition, _ store: Store) async throws {
        let staging = try await store.beginStaging(translations)
        var batch = RowBatch(for: staging)
        try batch.append(bytes("theirs").rawSpan, type: "translation", key: "1", updatedAt: 1)
        try await store.stage(batch, in: staging)
        try await store.swap(staging) { _, record in record.applied = position }
    }

    @Test func `is not released by the sequence applied before`() async throws {
        let fixture = try await restored()
        try await fixture.enqueue(1, [localEffect(1)])
        try await fixture.accept(1, at: 7)
        #expect(try fixture.overlays.map(\.timeline) == [1])
        // Nor by a run that began before, and asked for what the server counted then.
        let other = RunEnd(filter: 1, bound: ServerPosition(0, 10), journalAtBegin: .max)
        _ = try await fixture.store.write { try $0.releaseOverlays(after: other) }
        #expect(try fixture.text(1) == "mine")
        try await swap(at: ServerPosition(1, 8), fixture.store)
        #expect(try fixture.text(1) == "theirs")
        #expect(try fixture.overlays == [])
        #expect(try fixture.store.findings() == [])
    }

    @Test(arguments: [false, true])
    func `is released by a run or a snapshot of the restored server, though its sequence is lower`(isByRun: Bool)
        async throws
    {
        let fixture = try await ReleaseFixture()
        try await fixture.enqueue(1, [localEffect(1)])
        try await fixture.accept(1, at: 70)
        try await fixture.store.write { try $0.beginTimeline() }
        // The copy of a server that was not asked again.
        try await swap(at: ServerPosition(0, 69), fixture.store)
        #expect(try fixture.text(1) == "mine")
        if isByRun {
            let end = RunEnd(filter: 1, bound: ServerPosition(1, 3), journalAtBegin: 0)
            _ = try await fixture.store.write { try $0.releaseOverlays(after: end) }
        } else {
            try await swap(at: ServerPosition(1, 3), fixture.store)
        }
        #expect(try fixture.text(1) == "theirs")
        #expect(try fixture.overlays == [])
    }
}

@Suite struct `A write accepted before anything was synced` {
    @Test func `is materialized as a row that keeps its sequence`() async throws {
        let fixture = try await ReleaseFixture(isHeld: false)
        try await fixture.enqueue(1, [localEffect(1)])
        try await fixture.enqueue(2, [localEffect(2)])
        try await fixture.accept(1, at: 70)
        try await fixture.accept(2)
        #expect(try fixture.overlays == [])
        #expect(try fixture.store.read { view in try view.resource(translations)?.appliedSequence } == 70)
    }

    @Test func `leaves its sequence where it removes a local row, and leaves nothing where there are no rows`()
        async throws
    {
        let fixture = try await ReleaseFixture(isHeld: false)
        let unknown = ResourceKey("translations", 20)
        try await fixture.enqueue(1, [RowEffect(.removal, at: key(1)), RowEffect(.removal, at: key(1, unknown))])
        try await fixture.accept(1, at: 70)
        #expect(try fixture.overlays == [])
        #expect(try fixture.text(1) == nil)
        #expect(try fixture.store.read { view in try view.resource(translations)?.appliedSequence } == 70)
        #expect(try fixture.store.read { view in try view.resource(unknown)?.appliedSequence } ?? 0 == 0)
    }

    @Test func `does not give its sequence to rows that come from elsewhere`() async throws {
        let fixture = try await ReleaseFixture(isHeld: false)
        try await fixture.enqueue(1, [localEffect(1)])
        try await fixture.accept(1, at: 70)
        for round in 1...2 {
            try await fixture.store.replace(translations, appliedSequence: 0) { writer in
                try await writer.append(bytes("round \(round)"), type: "translation", key: "1", updatedAt: 1)
            }
            #expect(try fixture.text(1) == "round \(round)")
            try await fixture.enqueue(1 + round, [localEffect(1)])
            try await fixture.accept(1 + round, at: 80)
            #expect(try fixture.text(1) == "mine")
            #expect(try fixture.store.read { view in try view.resource(translations)?.appliedSequence } == 0)
        }
    }
}
