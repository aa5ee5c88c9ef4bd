// Proves that accepted writes which sync has not delivered for long are listed, and no others.
import LarderFormat
import LarderStore
import Testing

@Suite struct `Accepted writes that sync does not deliver` {
    private let directory = TemporaryStore()
    private let day: Int64 = 86_400_000

    /// A write to a row of the resource of a filter, accepted at 1000 as sequence 99 and not brought by a run that ended at `synced`.
    private func store(synced: Int64?, _ change: @escaping @Sendable (inout Transaction) throws -> Void = { _ in })
        async throws -> Store
    {
        let store = try directory.open()
        let staging = try await store.beginStaging(translations)
        var batch = RowBatch(for: staging)
        try batch.append(bytes("{}").rawSpan, type: "verse", key: "1", updatedAt: 1)
        try await store.stage(batch, in: staging)
        try await store.swap(staging) { transaction, record in
            (record.appliedSequence, record.snapshotPath, record.syncedAt) = (50, "/api/v4/1", 1)
            for filter in ["translations:*", "translations:19"] {
                let number = try transaction.updateFilter(filter) { ($0.token, $0.tokenUpdatedAt) = ("A", synced) }
                try transaction.putMember(ofFilter: number, translations, MemberRecord(listedInRun: 0))
            }
        }
        try await store.write { transaction in
            let row = RowKey(resource: translations, type: "verse", key: "1")
            let entry = try transaction.enqueue(draft(1), effects: [RowEffect(.replacement(bytes("1")), at: row)])
            try transaction.completeEntry(entry.id, sequence: 99, at: 1000)
        }
        try await store.write { transaction in try change(&transaction) }
        return store
    }

    private func found(_ store: Store) throws -> [UnshownWrite] {
        defer { try? store.close() }
        return try store.read { view in try view.unshownWrites() }
    }

    @Test func `are listed once, with the server's response`() async throws {
        let found = try found(try await store(synced: 1001 + day))
        #expect(found.count == 1)
        #expect(found.first?.row == RowKey(resource: translations, type: "verse", key: "1"))
        #expect(found.first?.entryID == draft(1).id && found.first?.serverSequence == 99)
        #expect(found.first?.acceptedAt == 1000)
    }

    @Test(arguments: [nil, 0, 1000 + 86_400_000] as [Int64?])
    func `are not listed before a run ends long after the acceptance`(synced: Int64?) async throws {
        #expect(try found(try await store(synced: synced)) == [])
    }

    @Test func `are not listed where they wait, or where the resource shows nothing else`() async throws {
        let waiting = try await store(synced: .max) { transaction in
            try transaction.update(translations) { $0.state = .evicted }
        }
        #expect(try found(waiting) == [])
    }

    @Test func `are listed even when the journal no longer has them`() async throws {
        let store = try await store(synced: 1001 + day) { transaction in
            for number in 2...1100 {
                try transaction.enqueue(draft(number))
                try transaction.removeEntry(draft(number).id, outcome: "dropped", at: 1000)
            }
        }
        #expect(try found(store).count == 1)
    }
}
