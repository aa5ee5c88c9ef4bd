// Proves that the journal returns conflicts in order, and keeps only the length of a long payload.

import LarderFormat
import LarderStore
import Testing

@Suite struct `The journal of conflicts` {
    private let directory = TemporaryStore()

    private func conflict(_ number: Int64) -> ResolvedConflict {
        ResolvedConflict(
            time: number, entryID: UUIDBytes(high: 1, low: UInt64(number)), status: 409, policy: "mine",
            resolution: "local", lane: "a", mutationType: "t", method: "PUT", endpoint: "/a", createdAt: number)
    }

    @Test func `returns the recorded conflicts, the oldest first`() async throws {
        let store = try directory.open()
        var second = conflict(2)
        second.row = key(1)
        second.remote = .bytes([0, 255, 0])
        second.base = .omitted(70_000)
        second.successor = UUIDBytes(high: 3, low: 4)
        let recorded = [conflict(1), second]
        try await store.write { transaction in for conflict in recorded { try transaction.journalConflict(conflict) } }
        let found = try store.read { view in try view.conflicts() }
        #expect(found == recorded)
        try store.close()
    }

    @Test func `keeps of a long payload its length`() {
        #expect(ResolvedConflict.Content([UInt8](repeating: 1, count: Limits.conflictContent)).payload != nil)
        let long = ResolvedConflict.Content([UInt8](repeating: 1, count: Limits.conflictContent + 1))
        #expect(long == .omitted(Int64(Limits.conflictContent + 1)))
        #expect(ResolvedConflict.Content(nil) == .none)
    }
}
