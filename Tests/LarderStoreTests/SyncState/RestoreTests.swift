// Proves that a damaged record of a resource, a filter or a member blocks neither writes nor sync, and is rebuilt.

import LarderFormat
import Testing

@testable import LarderStore

@Suite struct `A damaged record that sync needs` {
    private let temporary = TemporaryStore()

    private func damage(_ table: TableName, where isMeant: (RawRecord) throws -> Bool = { _ in true }) throws {
        let raw = try RawStore(temporary.path)
        let record = try #require(try raw.records().first { try $0.table == table && isMeant($0) })
        var damaged = record
        damaged.value[damaged.value.count - 1] ^= 1
        try raw.replace([record], by: [damaged])
        try raw.close()
    }

    private func damageResource(_ resource: ResourceKey) throws {
        try damage(.resources) { try ResourceRecord.decodeKey($0.key.rawSpan) == resource }
    }

    private func text(_ number: Int, _ store: Store) throws -> String? {
        try store.read { view in try view.payload(at: key(number)) }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Rows 1 to 3 of a resource that a filter brought, and its path.
    private func fill(_ store: Store) async throws {
        try await store.replace(translations, with: (1...3).map { (key($0), bytes("server")) })
        try await store.write { transaction in
            try transaction.update(translations) { record in
                record.appliedSequence = 40
                record.snapshotPath = "/copy"
            }
            let number = try transaction.updateFilter("translations:*") { record in
                record.run = 3
                record.token = "token"
                record.lastUntilSequence = 70
            }
            try transaction.putMember(
                ofFilter: number, translations, MemberRecord(listedInRun: 3, finishedInRun: 3))
        }
    }

    /// Another filter, with a member.
    private func addFilter(_ store: Store) async throws {
        try await store.write { transaction in
            try transaction.put(bytes("{}"), at: key(1, tafsirs), updatedAt: 1)
            let number = try transaction.updateFilter("tafsirs:*") { $0.token = "other" }
            try transaction.putMember(ofFilter: number, tafsirs, MemberRecord(listedInRun: 0))
        }
    }

    private func filter(_ store: Store) throws -> FilterState? { try store.read { view in try view.filters().first } }

    private func restore(_ store: Store, for text: String, covers: Bool = true) async throws {
        let damage = try store.read { view in try view.syncDamage() }
        try await store.write { transaction in try transaction.restore(damage, for: text) { _ in covers } }
    }

    @Test(arguments: [true, false]) func `of a resource prevents no entry from being accepted or rejected`(
        isAccepted: Bool
    ) async throws {
        let store = try temporary.open()
        try await fill(store)
        try await store.write { transaction in
            for number in 1...2 {
                try transaction.enqueue(
                    draft(number), effects: [RowEffect(.replacement(bytes("mine")), at: key(number))])
            }
        }
        try damageResource(translations)
        #expect(throws: StoreError.self) { try text(1, store) }
        try await store.write { transaction in
            if isAccepted {
                try transaction.completeEntry(draft(1).id, at: 9)
            } else {
                try transaction.rejectEntry(draft(1).id, OutboxDelivery(), detail: nil, at: 9)
            }
        }
        #expect(try text(1, store) == (isAccepted ? "mine" : "server"))
        #expect(try text(2, store) == "mine")
        #expect(try text(3, store) == "server")
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `of a resource prevents no local write over it`() async throws {
        let store = try temporary.open()
        try await fill(store)
        let changes: [OverlayChange] = [.replacement(bytes("mine")), .patch(bytes("{}"))]
        for (number, change) in changes.enumerated() {
            try damageResource(translations)
            try await store.write { transaction in
                try transaction.enqueue(draft(number), effects: [RowEffect(change, at: key(1))])
            }
        }
        try damageResource(translations)
        try await store.put([key(2)])
        try damageResource(translations)
        try await store.write { transaction in
            let isRemoved = try transaction.removeRow(at: key(3))
            #expect(isRemoved)
        }
        #expect(try store.keys(.all(of: translations)) == ["1", "2"])
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `of a resource is rebuilt with the rows that were shown, and its filters request it again`()
        async throws
    {
        let store = try temporary.open()
        try await fill(store)
        let staging = try await store.beginStaging(translations)
        try damageResource(translations)
        try await restore(store, for: "translations:*")
        let resource = try #require(try store.read { view in try view.resource(translations) })
        #expect(resource.state == .ready && resource.rowCount == 3)
        #expect(resource.stagingGeneration == staging.generation)
        // All that the token stands for is in the rows, and nothing below may be applied again.
        #expect(resource.appliedSequence == 70)
        #expect(resource.snapshotPath == nil)
        #expect(try text(1, store) == "server")
        let filter = try #require(try filter(store))
        #expect(filter.token == nil && filter.isBootstrapping)
        #expect(
            try store.read { view in try view.member(ofFilter: 1, translations) } == MemberRecord(listedInRun: 3))
        #expect(try store.findings() == [])
        await store.discard(staging)
        try await store.replace(translations, with: [(key(1), bytes("new"))])
        #expect(try store.keys(.all(of: translations)) == ["1"])
        try await store.reclaim()
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `of a resource whose snapshot never came shows nothing of the one being written`() async throws {
        let store = try temporary.open()
        let staging = try await store.beginStaging(translations)
        var batch = RowBatch(for: staging)
        try batch.append(bytes("half").rawSpan, type: "translation", key: "1", updatedAt: 1)
        try await store.stage(batch, in: staging)
        try damageResource(translations)
        try await restore(store, for: "translations:*")
        #expect(try store.read { view in try view.resource(translations) }?.state == .empty)
        #expect(try store.keys(.all(of: translations)) == [])
        try await store.swap(staging) { _, _ in }
        #expect(try text(1, store) == "half")
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test(arguments: [TableName.filters, .members, .resources])
    func `of a filter or its member is named beside the readable filters`(table: TableName) async throws {
        let store = try temporary.open()
        try await fill(store)
        try await addFilter(store)
        try damage(table) { record in
            guard table == .resources else { return true }
            return try ResourceRecord.decodeKey(record.key.rawSpan) == translations
        }
        let found = try store.read { view in try view.readableFilterStates() }
        // A resource without a record has no rows; its filter is there.
        let isWhole = table == .resources
        #expect(found.damaged.map(\.number) == (isWhole ? [] : [1]))
        #expect(found.damaged.map(\.text) == (isWhole ? [] : [table == .filters ? nil : "translations:*"]))
        #expect(found.filters.last?.state.filter == "tafsirs:*" && found.filters.last?.state.members == [tafsirs])
        #expect(found.filters.dropLast().map(\.readiness.isComplete) == (isWhole ? [false] : []))
        #expect(try store.read { view in try view.readableResources() }.damaged == (isWhole ? 1 : 0))
        try store.close()
    }

    @Test func `of a filter blocks no other, and is replaced by the next one that covers its members`() async throws {
        let store = try temporary.open()
        try await fill(store)
        try await addFilter(store)
        try damage(.filters) { try FilterState.decodeKey($0.key.rawSpan) == 1 }
        #expect(throws: StoreError.self) { try store.read { view in try view.filters() } }
        #expect(throws: StoreError.self) { try store.read { view in try view.readiness(of: "translations:*") } }
        #expect(try store.read { view in try view.readiness(of: "tafsirs:*") }?.members.count == 1)
        // Another filter has its own record, and takes nothing of it for swept.
        try await restore(store, for: "tafsirs:*")
        try await store.write { transaction in
            #expect(try transaction.isMember(translations))
            try transaction.removeFilter("tafsirs:*")
        }
        #expect(try text(1, store) == "server")
        try await restore(store, for: "hadiths:*", covers: false)
        #expect(throws: StoreError.self) { try store.read { view in try view.filters() } }
        try await restore(store, for: "translations:*")
        let filter = try #require(try filter(store))
        #expect(filter.filter == "translations:*" && filter.token == nil && filter.isBootstrapping)
        #expect(filter.run == 3 && filter.members == [translations])
        #expect(try text(1, store) == "server")
        try await store.reclaim()
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `of a filter prevents no response from reaching its outbox entry`() async throws {
        let store = try temporary.open()
        try await fill(store)
        try await store.write { transaction in
            for number in 1...2 {
                try transaction.enqueue(
                    draft(number), effects: [RowEffect(.replacement(bytes("mine \(number)")), at: key(1))])
            }
            try transaction.completeEntry(draft(1).id, at: 9)
        }
        try damage(.filters)
        try await store.write { transaction in
            try transaction.rejectEntry(draft(2).id, OutboxDelivery(), detail: nil, at: 9)
        }
        // Nobody knows whether the server shows it.
        #expect(try text(1, store) == "mine 1")
        try store.close()
    }

    @Test func `of a member counts as not listed by any run`() async throws {
        let store = try temporary.open()
        try await fill(store)
        try damage(.members)
        #expect(throws: StoreError.self) { try store.read { view in try view.filters() } }
        try await restore(store, for: "translations:*")
        #expect(
            try store.read { view in try view.member(ofFilter: 1, translations) } == MemberRecord(listedInRun: 0))
        #expect(try filter(store)?.token == "token")
        #expect(try store.findings() == [])
        try store.close()
    }
}

@Suite struct `A damaged write that the server has accepted` {
    private func damageWrite(_ fixture: ReleaseFixture) throws {
        let raw = try RawStore(fixture.temporary.path)
        let record = try #require(
            try raw.records().first { $0.table == .overlay && $0.overlayPlace?.sequence != nil })
        var damaged = record
        damaged.value[damaged.value.count - 1] ^= 1
        try raw.replace([record], by: [damaged])
        try raw.close()
    }

    private func endRun(_ fixture: ReleaseFixture, journalAtBegin: Int64) async throws {
        try await fixture.store.write { transaction in
            let number = try #require(try transaction.filter(ReleaseFixture.filter)).number
            _ = try transaction.releaseOverlays(
                after: RunEnd(filter: number, bound: ServerPosition(0, 50), journalAtBegin: journalAtBegin))
        }
    }

    @Test func `is released at the end of a run that began after the acceptance`() async throws {
        let fixture = try await ReleaseFixture()
        try await fixture.enqueue(1, [localEffect(1)])
        let before = try await fixture.store.write { try $0.nextJournalSequence() }
        try await fixture.accept(1, at: 90)
        let after = try await fixture.store.write { try $0.nextJournalSequence() }
        try damageWrite(fixture)
        // Made anew, the row is not known.
        try await fixture.store.write { try $0.put(bytes(#"{"a":2}"#), at: key(1), updatedAt: 1) }
        #expect(throws: StoreError.self) { try fixture.text(1) }
        try await endRun(fixture, journalAtBegin: before)
        #expect(throws: StoreError.self) { try fixture.text(1) }
        try await endRun(fixture, journalAtBegin: after)
        #expect(try fixture.text(1) == #"{"a":2}"#)
        #expect(try fixture.store.findings() == [])
    }

    @Test func `is released when its acceptance is no longer journaled`() async throws {
        let fixture = try await ReleaseFixture()
        try await fixture.enqueue(1, [localEffect(1)])
        try await fixture.accept(1, at: 90)
        try damageWrite(fixture)
        try await fixture.store.write { transaction in
            for _ in 0..<Limits.journalRecords {
                try transaction.appendJournalRecord(
                    JournalRecord(
                        time: 1,
                        event: .outcome(
                            OutboxOutcome(id: draft(7).id, lane: "x", sequence: 1000, time: 1, outcome: "dropped"))))
            }
        }
        try await endRun(fixture, journalAtBegin: 2)
        #expect(try fixture.text(1) == #"{"a":1}"#)
    }

    @Test func `is kept while its entry waits to be sent`() async throws {
        let fixture = try await ReleaseFixture()
        try await fixture.enqueue(1, [localEffect(1)])
        try damageWrite(fixture)
        // Made anew, what is shown does not say that it is pending.
        try await fixture.store.write { try $0.put(bytes(#"{"a":2}"#), at: key(1), updatedAt: 1) }
        try await endRun(fixture, journalAtBegin: 1000)
        #expect(throws: StoreError.self) { try fixture.text(1) }
        try await fixture.accept(1, at: 5)
        #expect(try fixture.text(1) == #"{"a":2}"#)
        #expect(try fixture.store.findings() == [])
    }
}
