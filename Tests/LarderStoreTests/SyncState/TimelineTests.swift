import LarderFormat
import LarderStore
import Testing

/// The store counts timelines, and no record is of one to come.
@Suite struct `A timeline of the store` {
    private let temporary = TemporaryStore()

    @Test func `begins without a sequence, and outlives the process`() async throws {
        var store = try temporary.open()
        try await store.write { transaction in
            try transaction.noteApplied(70)
            try transaction.noteApplied(60)
        }
        #expect(try store.read { view in try view.appliedPosition() } == ServerPosition(0, 70))
        try await store.write { try $0.beginTimeline() }
        try store.close()
        store = try temporary.open()
        #expect(try store.read { view in try view.appliedPosition() } == ServerPosition(1, 0))
        try store.close()
    }

    @Test(arguments: [false, true])
    func `to come in which something was applied is a finding`(isFilter: Bool) async throws {
        let store = try temporary.open()
        try await store.write { transaction in
            if isFilter {
                _ = try transaction.updateFilter("translations:*") { $0.timeline = 1 }
            } else {
                try transaction.update(translations) { $0.applied = ServerPosition(1, 7) }
            }
        }
        #expect(try store.findings().map(\.kind) == [.counter])
        try await store.write { try $0.beginTimeline() }
        #expect(try store.findings() == [])
        try store.close()
    }
}
