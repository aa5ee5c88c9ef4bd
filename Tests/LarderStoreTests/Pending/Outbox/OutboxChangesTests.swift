// Proves that a reader of the outbox reads again only the entries changed since its version, and all where that is unknown.
import LarderEngine
import LarderFormat
import Testing

@testable import LarderStore

@Suite struct `The set of changed outbox entries` {
    private let directory = TemporaryStore()

    private func changed(_ store: Store, since version: OutboxVersion?) async throws -> Set<UUIDBytes>? {
        try await store.write { try $0.outboxUpdate(since: version).changed }
    }

    @Test func `is everything without a version, and empty when no commit has changed an entry`() async throws {
        let store = try directory.open()
        let (changes, version) = try await store.write { transaction in
            try transaction.enqueue(draft(1))
            return (try transaction.outboxUpdate(since: nil), transaction.outboxVersion)
        }
        #expect(changes.changed == nil && changes.entries.map(\.id) == [draft(1).id])
        try await store.write { try $0.put(bytes("row"), at: key(1), updatedAt: 1) }
        #expect(try store.read { view in view.isOutboxChanged(since: version) } == false)
        #expect(try await changed(store, since: version) == [])
        try store.close()
    }

    @Test func `has what later commits have added, changed and removed`() async throws {
        let store = try directory.open()
        let version = try await store.write { transaction in
            for number in 1...4 { try transaction.enqueue(draft(number)) }
            return transaction.outboxVersion
        }
        try await store.write { try $0.removeEntry(draft(2).id, outcome: "dropped", at: 1) }
        try await store.write { transaction in
            var sending = OutboxDelivery()
            sending.state = .sending
            _ = try transaction.updateDelivery(of: draft(3).id, from: OutboxDelivery(), to: sending)
            try transaction.enqueue(draft(5))
        }
        let changes = try await store.write { try $0.outboxUpdate(since: version) }
        #expect(changes.changed == [draft(2).id, draft(3).id, draft(5).id])
        #expect(Set(changes.entries.map(\.id)) == [draft(3).id, draft(5).id])
        #expect(try store.read { view in view.isOutboxChanged(since: version) })
        try store.close()
    }

    @Test func `has an entry that follows a replaced one`() async throws {
        let store = try directory.open()
        let version = try await store.write { transaction in
            try transaction.enqueue(draft(1))
            var later = draft(2)
            later.after = [draft(1).id]
            try transaction.enqueue(later)
            return transaction.outboxVersion
        }
        try await store.write { try $0.replaceEntry(draft(1).id, with: draft(3), outcome: "superseded", at: 1) }
        let changes = try await store.write { try $0.outboxUpdate(since: version) }
        #expect(changes.changed == [draft(1).id, draft(2).id, draft(3).id])
        #expect(changes.entries.first { $0.id == draft(2).id }?.draft.after == [draft(3).id])
        try store.close()
    }

    @Test func `has what a later write of the same commit changes`() async throws {
        let store = try directory.open()
        let version = try await store.write { transaction in
            try transaction.enqueue(draft(1))
            let version = transaction.outboxVersion
            try transaction.enqueue(draft(2))
            #expect(try transaction.outboxUpdate(since: version).changed == [draft(2).id])
            return version
        }
        #expect(try await changed(store, since: version) == [draft(2).id])
        try store.close()
    }

    @Test func `has what a commit changes after its version was read, also when the reading write changed nothing`()
        async throws
    {
        let store = try directory.open()
        try await store.write { try $0.enqueue(draft(1)) }
        let version = try await store.write { transaction in
            let version = transaction.outboxVersion
            try transaction.enqueue(draft(2))
            return version
        }
        #expect(try await changed(store, since: version) == [draft(2).id])
        // The number of a transaction that changes nothing is the next one's.
        let empty = try await store.write { $0.outboxVersion }
        try await store.write { try $0.enqueue(draft(3)) }
        #expect(try await changed(store, since: empty) == [draft(3).id])
        try store.close()
    }

    @Test func `is everything after a commit of another process, and where too much has changed since`() throws {
        let store = try directory.open()
        let log = store.shared.part(OutboxChangeLog.self)
        let version = OutboxVersion(commit: 1000, changes: .max)
        log.append([draft(1).id], in: 1001)
        #expect(log.changed(since: version, upTo: 1001) == [draft(1).id])
        #expect(log.changed(since: version, upTo: 1002) == nil)
        log.append([], in: 1003)
        #expect(log.changed(since: version, upTo: 1003) == nil)
        #expect(log.changed(since: OutboxVersion(commit: 1002, changes: .max), upTo: 1003) == [])
        log.append([draft(2).id], in: 1004)
        for commit in 1005...1005 + UInt64(OutboxChangeLog.limit) { log.append([draft(3).id], in: commit) }
        #expect(log.changed(since: OutboxVersion(commit: 1003, changes: .max), upTo: 1006) == nil)
        try store.close()
    }
}
