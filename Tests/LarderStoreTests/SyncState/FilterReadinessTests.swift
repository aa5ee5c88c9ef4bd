// Proves that a filter's readiness is complete only after a finished run with every member, and counts what is to come.

import LarderFormat
import LarderStore
import Testing

@Suite struct `The readiness of a filter` {
    let directory = TemporaryStore()
    private let filter = "tafsirs:*;translations:*"

    /// A filter in run 3, with its members as they were listed and finished.
    private func put(
        _ store: Store, _ members: [ResourceKey: MemberRecord] = [:],
        _ edit: @escaping @Sendable (inout FilterState) -> Void = { _ in }
    ) async throws {
        try await store.write { [filter] transaction in
            let number = try transaction.updateFilter(filter) {
                $0.run = 3
                edit(&$0)
            }
            for (resource, member) in members { try transaction.putMember(ofFilter: number, resource, member) }
        }
    }

    private func readiness(_ store: Store) throws -> FilterReadiness {
        let (one, all) = try store.read { view in (try view.readiness(of: filter), try view.readiness()) }
        #expect(all == [one].compactMap { $0 })
        return try #require(one)
    }

    /// Two resources, 2 rows and 1 row.
    private func load(_ store: Store) async throws {
        try await store.replace(translations, with: [(key(1), bytes("one")), (key(2), bytes("two"))])
        try await store.replace(tafsirs, with: [(key(1, tafsirs), bytes("note"))])
    }

    @Test func `is none for a text that no filter has`() throws {
        let store = try directory.open()
        #expect(try store.read { view in try view.readiness(of: filter) } == nil)
        #expect(try store.read { view in try view.readiness() } == [])
        try store.close()
    }

    @Test func `is complete once a run has finished and every member is there`() async throws {
        let store = try directory.open()
        try await load(store)
        let member = MemberRecord(listedInRun: 3, finishedInRun: 3)
        try await put(store, [translations: member, tafsirs: member])
        #expect(try !readiness(store).isComplete)
        try await put(store) {
            $0.token = "token"
            $0.tokenUpdatedAt = 900
            $0.lastUntilSequence = 41
        }
        let found = try readiness(store)
        #expect(found.isComplete && !found.isBootstrapping)
        #expect(found.asOfSequence == 41 && found.syncedAt == 900)
        #expect(found.members.map(\.key) == [tafsirs, translations])
        #expect(found.members.map(\.rowCount) == [1, 2])
        #expect(found.members.map(\.isFinishedInRun) == [nil, nil])
        #expect(found.remainingResourceCount == 0 && found.remainingRowCount == 0 && found.remainingByteCount == 0)
        try store.close()
    }

    @Test func `is incomplete in its first bootstrap, whatever has arrived`() async throws {
        let store = try directory.open()
        try await load(store)
        try await put(store, [translations: MemberRecord(listedInRun: 3, finishedInRun: 3)]) {
            $0.isBootstrapping = true
        }
        let found = try readiness(store)
        #expect(!found.isComplete && found.isBootstrapping && found.asOfSequence == nil)
        #expect(found.age(now: 5) == nil && !found.isOverdue(now: .max))
        try store.close()
    }

    @Test func `after a rejected token is complete and estimates the rest by the old snapshots`() async throws {
        let store = try directory.open()
        try await load(store)
        let members = [
            translations: MemberRecord(listedInRun: 3, finishedInRun: 2),
            tafsirs: MemberRecord(listedInRun: 3, finishedInRun: 3),
        ]
        try await put(store, members) {
            $0.tokenUpdatedAt = 900
            $0.isBootstrapping = true
            $0.resyncs = 1
        }
        let found = try readiness(store)
        #expect(found.isComplete && found.syncedAt == 900)
        #expect(found.members.map(\.isFinishedInRun) == [true, false])
        #expect(found.remainingResourceCount == 1 && found.remainingRowCount == 2)
        #expect(found.remainingByteCount == found.members[1].byteCount)
        try store.close()
    }

    @Test func `excludes resources that this bootstrap has not listed yet from the rest`() async throws {
        let store = try directory.open()
        try await load(store)
        try await put(store, [translations: MemberRecord(listedInRun: 2, finishedInRun: 2)]) {
            $0.isBootstrapping = true
        }
        #expect(try readiness(store).remainingResourceCount == 0)
        try store.close()
    }

    @Test func `does not guess the rows of a member without a snapshot`() async throws {
        let store = try directory.open()
        try await load(store)
        try await store.write { transaction in try transaction.update(ResourceKey("tafsirs", 9)) { _ in } }
        let members = [
            translations: MemberRecord(listedInRun: 3),
            ResourceKey("tafsirs", 9): MemberRecord(listedInRun: 3),
        ]
        try await put(store, members) {
            $0.tokenUpdatedAt = 900
            $0.isBootstrapping = true
        }
        let found = try readiness(store)
        #expect(!found.isComplete)
        #expect(found.remainingResourceCount == 2 && found.remainingRowCount == nil && found.remainingByteCount == nil)
        try store.close()
    }

    @Test func `is incomplete while a member is evicted, and complete without one the server withdrew`() async throws {
        let store = try directory.open()
        try await load(store)
        try await put(store, [translations: MemberRecord(listedInRun: 3), tafsirs: MemberRecord(listedInRun: 3)]) {
            $0.token = "token"
            $0.tokenUpdatedAt = 900
        }
        try await store.write { transaction in try transaction.withdraw(tafsirs, at: ServerPosition(0, 9), as: .evicted)
        }
        #expect(try !readiness(store).isComplete)
        #expect(try readiness(store).remainingResourceCount == 0)
        try await store.write { transaction in try transaction.withdraw(tafsirs, at: ServerPosition(0, 10), as: .hidden)
        }
        #expect(try readiness(store).isComplete)
        #expect(try readiness(store).members.map(\.isComplete) == [false, true])
        try store.close()
    }

    @Test func `of a rejected token in a first bootstrap is incomplete`() async throws {
        let store = try directory.open()
        try await load(store)
        try await put(store, [translations: MemberRecord(listedInRun: 3, finishedInRun: 3)]) {
            $0.isBootstrapping = true
            $0.resyncs = 1
        }
        #expect(try !readiness(store).isComplete)
        try store.close()
    }

    @Test func `reports its age, and that it is overdue after seven days`() async throws {
        let store = try directory.open()
        try await put(store) {
            $0.token = "token"
            $0.tokenUpdatedAt = 1000
            $0.lastError = "no network"
            $0.failures = 2
            $0.lastRunAt = 5000
            $0.nextRunAt = 6000
        }
        let found = try readiness(store)
        #expect(found.lastError == "no network" && found.failures == 2)
        #expect(found.lastRunAt == 5000 && found.nextRunAt == 6000)
        #expect(found.age(now: 4000) == 3000)
        #expect(found.age(now: 0) == 0)
        #expect(found.age(now: .min) == 0)
        let week = FilterReadiness.defaultOverdueAge
        #expect(week == 604_800_000)
        #expect(!found.isOverdue(now: 1000 + week) && found.isOverdue(now: 1001 + week))
        #expect(found.isOverdue(now: 1011, after: 10) && !found.isOverdue(now: 1010, after: 10))
        try await put(store) { $0.tokenUpdatedAt = -5 }
        #expect(try readiness(store).age(now: .max) == .max)
        try store.close()
    }
}
