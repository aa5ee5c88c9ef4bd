// Proves that writes enqueued while all content is removed are kept or removed whole, and that the store stays sound.
// acknowledged is lost that was not to be discarded.
import LarderEngine
import LarderFormat
import LarderStore
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Clearing beside writers` {
    private final class Flag: Sendable { let value = Atomic(false) }

    private let directory = TemporaryStore()

    /// Enqueues writes with files and local changes until `isOver` is set; returns those that were acknowledged.
    private func enqueue(_ store: Store, _ writer: UInt64, until isOver: Flag) async throws
        -> [UUIDBytes]
    {
        var made: [UUIDBytes] = []
        while !isOver.value.load(ordering: .acquiring) {
            let id = UUIDBytes(high: writer, low: UInt64(made.count))
            let draft = OutboxDraft(
                id: id, lane: "lane \(writer)", createdAt: 0, mutationType: "note.create", method: "POST",
                endpoint: "/notes", payload: [])
            let body = try store.makeBlob()
            let bytes = [UInt8](repeating: 1, count: 300_000)
            unsafe body.append(bytes.span.bytes)
            let effect = RowEffect(
                .replacement([7]), at: key(made.count % 50, ResourceKey("notes", Int64(writer))))
            do {
                if made.count % 2 == 0 { try await body.flush() }
                try await store.write { [draft] transaction in
                    var draft = draft
                    draft.blob = try body.finish(in: &transaction)
                    try transaction.enqueue(draft, effects: [effect])
                }
                made.append(id)
            } catch StoreError.blobRemoved {
                // Its file was removed before the write was made.
            }
        }
        return made
    }

    @Test(arguments: [true, false]) func `leaves a sound store`(discards: Bool) async throws {
        let store = try directory.open()
        for round in 1...6 {
            try store.writeBlocking(durability: .relaxed) { transaction in
                for number in 1...2000 {
                    let row = key(number, ResourceKey("notes", Int64(number % 40)))
                    try transaction.applyOverlay(.replacement([7], codec: .opaque), at: row, updatedAt: 1)
                }
            }
            let isOver = Flag()
            let made = try await withThrowingTaskGroup(of: [UUIDBytes].self) { group in
                for writer in 1...3 as ClosedRange<UInt64> {
                    group.addTask { try await enqueue(store, UInt64(round) * 10 + writer, until: isOver) }
                }
                do {
                    try await store.clear(discardingUnsent: discards)
                } catch StoreError.unsentWrites {
                    #expect(!discards)
                }
                isOver.value.store(true, ordering: .releasing)
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(try store.findings() == [], "round \(round)")
            let left = Set(try store.read { view in try view.outboxEntries().map(\.id) })
            #expect(discards || left.isSuperset(of: made), "round \(round)")
            try await store.clear(discardingUnsent: true)
        }
        try store.close()
    }
}
