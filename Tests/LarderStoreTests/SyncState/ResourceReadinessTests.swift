// Proves that a resource's readiness reports what readers see.

import LarderFormat
import LarderStore
import Testing

@Suite struct `The readiness of a resource` {
    let directory = TemporaryStore()

    @Test func `is none when the resource is not known`() throws {
        let store = try directory.open()
        #expect(try store.read { view in try view.readiness(of: translations) } == nil)
        try store.close()
    }

    @Test func `reports what readers see, and is unchanged while a newer snapshot is written`() async throws {
        let store = try directory.open()
        try await store.write { transaction in try transaction.update(translations) { $0.appliedSequence = 3 } }
        let before = try #require(try store.read { view in try view.readiness(of: translations) })
        #expect(!before.isComplete && before.state == .empty && before.appliedSequence == 3 && before.generation == nil)
        try await store.replace(translations, with: [(key(1), bytes("one")), (key(2), bytes("two"))])
        try await store.write { transaction in
            try transaction.update(translations) {
                $0.syncedAt = 7
                $0.changedAt = 6
                $0.schemaVersion = 2
            }
        }
        let after = try #require(try store.read { view in try view.readiness(of: translations) })
        #expect(after.isComplete && after.rowCount == 2 && after.byteCount > 0 && after.appliedSequence == 4)
        #expect(after.syncedAt == 7 && after.changedAt == 6 && after.schemaVersion == 2)
        #expect(after.isFinishedInRun == nil)
        let staging = try await store.beginStaging(translations)
        #expect(try store.read { view in try view.readiness(of: translations) } == after)
        await store.discard(staging)
        try store.close()
    }
}
