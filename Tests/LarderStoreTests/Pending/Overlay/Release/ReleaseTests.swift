// Proves when the overlay of an accepted write is released or materialized: by sequence, by snapshot, or by a run's end.

import LarderFormat
import LarderStore
import Testing

@Suite struct `The overlay of an accepted write` {
    private let temporary = TemporaryStore()
    private let filter = "translations:19"

    private func text(_ number: Int, _ store: Store) throws -> String? {
        try store.read { view in try view.payload(at: key(number)) }.map { String(decoding: $0, as: UTF8.self) }
    }

    private func sequences(_ number: Int, _ store: Store) throws -> [Int64] {
        try store.read { view in try view.overlays(at: key(number)).map(\.sequence) }
    }

    /// A store with rows 1 to 3 at applied sequence 10, of a resource that a filter holds if wanted.
    private func filled(isHeld: Bool = true) async throws -> Store {
        let store = try temporary.open()
        try await store.write { transaction in
            for number in 1...3 { try transaction.put(bytes(#"{"a":1}"#), at: key(number), updatedAt: 1) }
            try transaction.update(translations) { $0.appliedSequence = 10 }
            if isHeld {
                let number = try transaction.updateFilter(filter) { $0.run = 1 }
                try transaction.putMember(ofFilter: number, translations, MemberRecord(listedInRun: 1))
            }
        }
        return store
    }

    private func enqueue(_ number: Int, _ effects: [RowEffect], lane: String = "a", _ store: Store) async throws {
        try await store.write { transaction in try transaction.enqueue(draft(number, lane: lane), effects: effects) }
    }

    private func accept(_ number: Int, at sequence: Int64? = nil, _ store: Store) async throws {
        try await store.write { transaction in
            try transaction.completeEntry(draft(number).id, sequence: sequence, at: 9)
        }
    }

    /// What a run that begins now says at its end.
    private func run(upTo bound: Int64, _ store: Store, timeline: Int64 = 0) async throws -> RunEnd {
        try await store.write { transaction in
            let number = try transaction.filter(filter)?.number ?? 0
            return RunEnd(
                filter: number, bound: ServerPosition(timeline, bound),
                journalAtBegin: try transaction.nextJournalSequence())
        }
    }

    private func end(_ run: RunEnd, _ store: Store) async throws {
        let rest = try await store.write { transaction in try transaction.releaseOverlays(after: run) }
        #expect(rest == nil)
    }

    private let patch = RowEffect(.patch(bytes(#"{"b":2}"#)), at: key(1))

    @Test func `is materialized at once where no filter holds the resource`() async throws {
        let store = try await filled(isHeld: false)
        try await enqueue(
            1, [patch, RowEffect(.removal, at: key(2)), RowEffect(.replacement(bytes("new")), at: key(9))], store)
        try await accept(1, at: 99, store)
        #expect(try store.keys(.all(of: translations)) == ["1", "3", "9"])
        #expect(try text(1, store) == #"{"a":1,"b":2}"#)
        #expect(try store.read { view in try view.overlays(of: translations) } == [])
        let server = try store.read { view in try view.serverRow(at: key(2)) == nil }
        #expect(server)
        #expect(try store.findings() == [])
    }

    @Test func `waits for the overlays beneath, however they are released`() async throws {
        let store = try await filled(isHeld: false)
        try await enqueue(1, [patch], lane: "slow", store)
        try await enqueue(2, [RowEffect(.patch(bytes(#"{"c":3}"#)), at: key(1))], store)
        try await enqueue(3, [RowEffect(.patch(bytes(#"{"d":4}"#)), at: key(1))], lane: "other", store)
        try await accept(2, store)
        #expect(try text(1, store) == #"{"a":1,"b":2,"c":3,"d":4}"#)
        #expect(try sequences(1, store).count == 3)
        try await store.write { try $0.rejectEntry(draft(1).id, OutboxDelivery(), detail: nil, at: 9) }
        #expect(try text(1, store) == #"{"a":1,"c":3,"d":4}"#)
        #expect(try sequences(1, store).count == 1)
        try await accept(3, store)
        #expect(try text(1, store) == #"{"a":1,"c":3,"d":4}"#)
        #expect(try sequences(1, store) == [])
        #expect(try store.findings() == [])
    }

    @Test func `is released in the transaction that raises the applied sequence to its own, and not before`()
        async throws
    {
        let store = try await filled()
        try await enqueue(1, [patch], store)
        try await accept(1, at: 12, store)
        try await store.write { transaction in
            try transaction.put(bytes(#"{"a":5}"#), at: key(1), updatedAt: 1)
            try transaction.update(translations) { $0.appliedSequence = 11 }
        }
        #expect(try text(1, store) == #"{"a":5,"b":2}"#)
        try await store.write { transaction in
            try transaction.put(bytes(#"{"a":6,"b":2,"s":1}"#), at: key(1), updatedAt: 1)
            try transaction.update(translations) { $0.appliedSequence = 12 }
        }
        #expect(try text(1, store) == #"{"a":6,"b":2,"s":1}"#)
        #expect(try sequences(1, store) == [])
        #expect(try store.findings() == [])
    }

    @Test func `is released at once when the applied sequence has reached it`() async throws {
        let store = try await filled()
        try await enqueue(1, [patch], store)
        try await store.write { transaction in
            try transaction.put(bytes(#"{"a":1,"b":2}"#), at: key(1), updatedAt: 1)
            try transaction.update(translations) { $0.appliedSequence = 12 }
        }
        try await accept(1, at: 12, store)
        #expect(try sequences(1, store) == [])
        #expect(try text(1, store) == #"{"a":1,"b":2}"#)
    }

    @Test func `is released with a snapshot that contains it`() async throws {
        let store = try await filled()
        try await enqueue(1, [patch], store)
        try await accept(1, at: 12, store)
        try await store.replace(translations, appliedSequence: 11) { writer in
            try await writer.append(bytes(#"{"a":7}"#), type: "translation", key: "1", updatedAt: 1)
        }
        #expect(try text(1, store) == #"{"a":7,"b":2}"#)
        try await store.replace(translations, appliedSequence: 13) { writer in
            try await writer.append(bytes(#"{"a":8}"#), type: "translation", key: "1", updatedAt: 1)
        }
        #expect(try text(1, store) == #"{"a":8}"#)
        #expect(try sequences(1, store) == [])
        #expect(try store.findings() == [])
    }

    @Test func `with a sequence is released at the end of a run that requested it`() async throws {
        let store = try await filled()
        try await enqueue(1, [patch], store)
        let (short, long) = (try await run(upTo: 11, store), try await run(upTo: 12, store))
        try await accept(1, at: 12, store)
        try await end(short, store)
        #expect(try sequences(1, store).count == 1)
        try await end(try await run(upTo: 11, store), store)
        #expect(try sequences(1, store).count == 1)
        try await end(long, store)
        #expect(try sequences(1, store) == [])
    }

    @Test func `without a sequence is released at the end of a run that began after the acceptance`() async throws {
        let store = try await filled()
        try await enqueue(1, [patch], store)
        let before = try await run(upTo: 99, store)
        try await accept(1, store)
        let after = try await run(upTo: 99, store)
        try await end(before, store)
        #expect(try text(1, store) == #"{"a":1,"b":2}"#)
        try await end(after, store)
        #expect(try text(1, store) == #"{"a":1}"#)
        #expect(try sequences(1, store) == [])
    }

    @Test func `is released at the end of a run of a later timeline, whatever its bound`() async throws {
        let store = try await filled()
        try await enqueue(1, [patch], store)
        try await accept(1, at: 5000, store)
        try await end(try await run(upTo: 20, store), store)
        #expect(try sequences(1, store).count == 1)
        try await end(try await run(upTo: 20, store, timeline: 1), store)
        #expect(try sequences(1, store) == [])
    }

    @Test func `is kept at the end of a run of a filter that does not hold the resource`() async throws {
        let store = try await filled()
        try await store.write { try $0.updateFilter("tafsirs:*") { $0.run = 1 } }
        try await enqueue(1, [patch], store)
        try await accept(1, store)
        let other = try await store.write { transaction in
            RunEnd(
                filter: try transaction.filter("tafsirs:*")?.number ?? 0, bound: ServerPosition(0, 99),
                journalAtBegin: try transaction.nextJournalSequence())
        }
        try await end(other, store)
        #expect(try sequences(1, store).count == 1)
    }

    @Test func `is kept while there are no rows to show in its place`() async throws {
        let store = try await filled()
        let isEvicted = try await store.write { try $0.evict(translations) }
        #expect(isEvicted)
        try await enqueue(1, [RowEffect(.replacement(bytes("mine")), at: key(1))], store)
        try await accept(1, at: 12, store)
        try await store.write { try $0.update(translations) { $0.appliedSequence = 14 } }
        try await end(try await run(upTo: 14, store), store)
        #expect(try text(1, store) == "mine")
        try await store.replace(translations, appliedSequence: 14) { writer in
            try await writer.append(bytes("theirs"), type: "translation", key: "1", updatedAt: 1)
        }
        #expect(try text(1, store) == "theirs")
        #expect(try store.findings() == [])
    }

    @Test func `over a resource that a filter drops is kept for a run that began after it`() async throws {
        let store = try await filled()
        try await enqueue(1, [RowEffect(.replacement(bytes("mine")), at: key(1))], store)
        let before = try await run(upTo: 99, store)
        try await accept(1, store)
        try await store.write { transaction in
            let number = try transaction.filter(filter)?.number ?? 0
            try transaction.removeMember(ofFilter: number, translations)
            try transaction.withdraw(translations, at: ServerPosition(0, 11), as: .hidden)
        }
        try await end(before, store)
        #expect(try text(1, store) == "mine")
        try await end(try await run(upTo: 99, store), store)
        #expect(try text(1, store) == nil)
        #expect(try store.read { view in try view.overlays(of: translations) } == [])
    }

    @Test func `is released with the last filter that held the resource, and pending writes are kept`() async throws {
        let store = try await filled()
        try await enqueue(1, [patch], store)
        try await enqueue(2, [RowEffect(.replacement(bytes("mine")), at: key(2))], store)
        try await accept(1, at: 500, store)
        try await store.removeFilter(filter)
        #expect(try store.read { view in try view.overlays(of: translations).map(\.key) } == [key(2)])
        #expect(try store.keys(.all(of: translations)) == ["2"])
        #expect(try store.findings() == [])
    }

    @Test func `is kept over a list during a pass, and is materialized at its end`() async throws {
        let store = try await filled(isHeld: false)
        try await enqueue(1, [patch], store)
        let pass = try store.beginPass(over: translations)
        try await accept(1, store)
        #expect(try sequences(1, store).count == 1)
        try await store.write { try $0.put(bytes(#"{"a":0}"#), at: key(1), updatedAt: 1) }
        await store.endPass(pass, isComplete: true)
        #expect(try text(1, store) == #"{"a":0,"b":2}"#)
        #expect(try sequences(1, store) == [])
    }

    @Test func `over a list is released by a pass that began after the acceptance`() async throws {
        let store = try await filled(isHeld: false)
        try await enqueue(1, [patch], store)
        let first = try store.beginPass(over: translations)
        try await accept(1, store)
        let second = try store.beginPass(over: translations)
        await store.endPass(first, isComplete: true)
        #expect(try sequences(1, store).count == 1)
        try await store.write { try $0.put(bytes(#"{"a":0,"s":1}"#), at: key(1), updatedAt: 1) }
        await store.endPass(second, isComplete: true)
        #expect(try text(1, store) == #"{"a":0,"s":1}"#)
    }

    @Test func `is kept over a successor that replaces an overlay beneath`() async throws {
        let store = try await filled(isHeld: false)
        try await enqueue(1, [patch, RowEffect(.removal, at: key(3))], lane: "slow", store)
        try await enqueue(2, [RowEffect(.patch(bytes(#"{"c":3}"#)), at: key(1))], store)
        try await accept(2, store)
        try await store.write { transaction in
            try transaction.replaceEntry(
                draft(1).id, with: draft(4), effects: [RowEffect(.patch(bytes(#"{"b":7}"#)), at: key(1))],
                outcome: "superseded", at: 9)
        }
        #expect(try text(1, store) == #"{"a":1,"b":7,"c":3}"#)
        #expect(try text(3, store) == #"{"a":1}"#)
        #expect(try store.read { view in try view.overlays(at: key(1)).map(\.entryID) } == [draft(4).id, draft(2).id])
        try await accept(4, store)
        #expect(try sequences(1, store) == [])
        #expect(try text(1, store) == #"{"a":1,"b":7,"c":3}"#)
        #expect(try store.findings() == [])
    }

    @Test func `is released a part at a time where there is much of it`() async throws {
        let store = try await filled()
        let effects = (1...20).map { RowEffect(.replacement(bytes("mine")), at: key($0)) }
        try await enqueue(1, effects, store)
        try await accept(1, store)
        let run = try await run(upTo: 99, store)
        var (rounds, place) = (0, ReleasePlace?.none)
        repeat {
            place = try await store.write { [place] in try $0.releaseOverlays(after: run, from: place, limit: 8) }
            rounds += 1
        } while place != nil
        #expect(rounds == 3)
        #expect(try store.read { view in try view.overlays(of: translations) } == [])
    }
}
