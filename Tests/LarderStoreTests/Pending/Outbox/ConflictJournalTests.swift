import LarderFormat
import LarderStore
import Testing

@Suite struct `The journal of conflicts` {
    private let directory = TemporaryStore()

    private func conflict(_ number: Int64) -> SettledConflict {
        SettledConflict(
            time: number, entryID: UUIDBytes(high: 1, low: UInt64(number)), status: 409, policy: "mine",
            resolution: "local", lane: "a", mutationType: "t", method: "PUT", endpoint: "/a", createdAt: number)
    }

    @Test func `gives back what was noted, the oldest first`() async throws {
        let store = try directory.open()
        var second = conflict(2)
        second.row = key(1)
        second.remote = .bytes([0, 255, 0])
        second.base = .leftOut(70_000)
        second.successor = UUIDBytes(high: 3, low: 4)
        let noted = [conflict(1), second]
        try await store.write { transaction in for conflict in noted { try transaction.note(conflict) } }
        let found = try store.read { view in try view.conflicts() }
        #expect(found == noted)
        try store.close()
    }

    @Test func `keeps of a long payload its length`() {
        #expect(SettledConflict.Content([UInt8](repeating: 1, count: Limits.conflictContent)).payload != nil)
        let long = SettledConflict.Content([UInt8](repeating: 1, count: Limits.conflictContent + 1))
        #expect(long == .leftOut(Int64(Limits.conflictContent + 1)))
        #expect(SettledConflict.Content(nil) == .none)
    }
}
