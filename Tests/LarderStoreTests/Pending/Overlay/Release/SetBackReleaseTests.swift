import LarderFormat
import LarderStore
import Testing

@Suite struct `What a server that was set back has accepted` {
    /// A resource at floor 10 whose filter is bootstrapped after a rejected token.
    private func rejected() async throws -> ReleaseFixture {
        let fixture = try await ReleaseFixture()
        try await fixture.store.write { transaction in
            try transaction.updateFilter(ReleaseFixture.filter) { record in
                record.run = 2
                record.isBootstrapping = true
                record.isRejected = true
            }
        }
        return fixture
    }

    private func member(finishedInRun run: Int64, _ store: Store) async throws {
        try await store.write { transaction in
            let number = try transaction.filter(ReleaseFixture.filter)?.number ?? 0
            try transaction.putMember(
                ofFilter: number, translations, MemberRecord(listedInRun: run, finishedInRun: run))
        }
    }

    @Test func `is not released by a floor of the old count`() async throws {
        let fixture = try await rejected()
        try await fixture.enqueue(1, [mine(1)])
        try await fixture.accept(1, at: 7)
        #expect(try fixture.text(1) == "mine")
        // Another filter's run that began before, and asked for what the server counted then.
        let other = RunEnd(filter: 9, bound: 10, journalAtBegin: 1, isAfterRejection: false)
        _ = try await fixture.store.write { try $0.settle(after: other) }
        #expect(try fixture.text(1) == "mine")
        #expect(try fixture.overlays.count == 1)
    }

    @Test func `is released by the copy that the bootstrap brings`() async throws {
        let fixture = try await rejected()
        try await fixture.enqueue(1, [mine(1)])
        try await fixture.accept(1, at: 7)
        try await member(finishedInRun: 2, fixture.store)
        let staging = try await fixture.store.beginStaging(translations)
        var batch = RowBatch(for: staging)
        try batch.append(bytes("theirs").rawSpan, type: "translation", key: "1", updatedAt: 1)
        try await fixture.store.stage(batch, in: staging)
        try await fixture.store.swap(staging) { _, record in record.floor = 8 }
        #expect(try fixture.text(1) == "theirs")
        #expect(try fixture.overlays == [])
        #expect(try fixture.store.findings() == [])
    }

    @Test func `is released by the end of the bootstrap`() async throws {
        let fixture = try await rejected()
        try await fixture.enqueue(1, [mine(1)])
        try await fixture.accept(1, at: 7)
        let rest = try await fixture.store.write { transaction in
            let number = try transaction.updateFilter(ReleaseFixture.filter) { record in
                record.isBootstrapping = false
                record.isRejected = false
            }
            return try transaction.settle(
                after: RunEnd(filter: number, bound: 7, journalAtBegin: 0, isAfterRejection: true))
        }
        #expect(rest == nil)
        #expect(try fixture.overlays == [])
    }

    @Test func `is not held up by a filter that has brought it already`() async throws {
        let fixture = try await rejected()
        try await member(finishedInRun: 2, fixture.store)
        try await fixture.enqueue(1, [mine(1)])
        try await fixture.accept(1, at: 7)
        #expect(try fixture.overlays == [])
    }
}
