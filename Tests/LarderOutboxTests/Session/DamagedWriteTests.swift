// Proves that one damaged record among the writes keeps no account from signing in and out, and no other write from being
// listed (a damaged head made every session throw).
import LarderFormat
import LarderStore
import LarderTransport
import Testing

@testable import LarderOutbox

@Suite struct `A damaged record among the writes` {
    /// Three writes of ada's, of which the first, or another record, is damaged.
    private func world(_ damage: (OutboxWorld) throws -> Void) async throws -> OutboxWorld {
        let world = try OutboxWorld(.offline)
        let session = try Session(store: world.store)
        try await session.signIn(as: "ada")
        let outbox = try world.outbox(account: "ada")
        for number in 1...3 { try await outbox.enqueue(makeNoteWrite(number, entity: "note/\(number)")) }
        try damage(world)
        return world
    }

    /// The records of the outbox of a kind, by the first byte of their keys. FORMAT.md, 7.7.
    private static let kinds: [UInt8] = [0x02, 0x15, 0x30]

    @Test(arguments: kinds) func `leaves sessions usable`(kind: UInt8) async throws {
        let world = try await world { world in
            try world.damage(.outbox) { keys in keys.firstIndex { $0[0] == kind } ?? 0 }
        }
        let session = try Session(store: world.store)
        #expect(await session.account == "ada")
        await session.setNetworkState(.offline)
        let unsent = try await session.status.unsent
        #expect(unsent.pending == (kind == 0x02 ? 2 : 3))
        try await session.signOut(.seal)
        try await session.signIn(as: "ada")
        try await session.signOut(.discard(named: "ada"))
        #expect(await session.account == nil)
        // Nothing that can be read is left of ada's, so another may sign in.
        try await session.signIn(as: "bob")
        #expect(await session.account == "bob")
    }

    @Test(arguments: kinds) func `leaves the others to be listed`(kind: UInt8) async throws {
        let world = try await world { world in
            try world.damage(.outbox) { keys in keys.firstIndex { $0[0] == kind } ?? 0 }
        }
        let (entries, damaged) = try world.store.read { view in try view.readableOutboxEntries() }
        #expect(entries.count == 2 && damaged == 1)
    }

    @Test(arguments: kinds) func `can be dropped singly, with all that was stored for it`(kind: UInt8) async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox()
        let resource = ResourceKey("notes", 1)
        var ids: [UUIDBytes] = []
        for number in 1...3 {
            var write = makeNoteWrite(number, entity: "note/\(number)")
            write.deduplicationKey = "note \(number)"
            let row = RowKey(resource: resource, type: "note", key: "\(number)")
            write.effects = [RowEffect(.replacement(Array("{}".utf8)), at: row)]
            ids.append(try await outbox.enqueue(write).id)
        }
        #expect(try outbox.damagedEntries() == [])
        try world.damage(.outbox) { keys in keys.firstIndex { $0[0] == kind } ?? 0 }
        let damaged = try outbox.damagedEntries()
        #expect(damaged.count == 1 && ids.contains(damaged[0]))
        await #expect(throws: OutboxError.self) { try await outbox.drop(UUIDBytes(high: 9, low: 9)) }
        try await outbox.drop(damaged[0])
        #expect(try outbox.damagedEntries() == [])
        #expect(try await outbox.outcome(of: damaged[0]) == .removed("dropped"))
        #expect(outbox.status.pending == 2)
        let (overlays, pending) = try world.store.read { view in
            (try view.overlays(of: resource).count, try view.pendingOutbox().entries)
        }
        #expect(overlays == 2 && pending == 2)
        #expect(try world.findings().isEmpty)
    }

    @Test func `of a buffer leaves sessions usable`() async throws {
        let world = try await world { _ in }
        let name = BufferName("locations", account: "ada")
        try await world.store.write { transaction in
            for time in 1...3 as ClosedRange<Int64> {
                try transaction.appendPoint([1], to: name, at: time, limit: 10)
            }
        }
        for place in [0, 2] {
            try world.damage(.buffers) { _ in place }
            #expect(await (try Session(store: world.store)).account == "ada")
        }
    }
}
