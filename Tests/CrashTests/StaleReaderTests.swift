// Proves that a reader that was killed stops pinning old pages of the store.

import CrashWorld
import LarderEngine
import LarderStore
import Testing

@Suite struct `CrashTests: a reader killed while it reads` {
    @Test func `pins nothing any more once another process opens the store`() throws {
        let folder = try TemporaryFolder()
        let store = try Store.openQuietly(at: folder.store, access: .readWrite)
        try writeRepeatedly(store)
        let reader = try ChildProcess(["hold-read", folder.store])
        #expect(try reader.next(until: .now + .seconds(20)) == .ready)
        reader.kill()
        #expect(try reader.finish().wasKilled)
        #expect(try ChildProcess(["create", folder.store]).finish().rest == [.done])
        try writeRepeatedly(store)
        let pageCount = try store.statistics().lastPage
        for _ in 0..<3 { try writeRepeatedly(store) }
        #expect(try store.statistics().lastPage == pageCount)
        try store.close()
    }

    @Test func `pins nothing any more after a while of writing`() throws {
        let folder = try TemporaryFolder()
        let store = try Store.openQuietly(at: folder.store, access: .readWrite)
        try writeRepeatedly(store)
        let reader = try ChildProcess(["hold-read", folder.store])
        #expect(try reader.next(until: .now + .seconds(20)) == .ready)
        reader.kill()
        #expect(try reader.finish().wasKilled)
        var last = 0
        for _ in 0..<20 {
            last = try store.statistics().lastPage
            for _ in 0..<4 { try writeRepeatedly(store) }
        }
        #expect(try store.statistics().lastPage == last, "the file grows and grows")
        try store.close()
    }

    /// Replaces the same rows, several MiB in several commits.
    private func writeRepeatedly(_ store: Store) throws {
        let payload = [UInt8](repeating: 7, count: 100_000)
        for round in 0..<10 {
            try store.writeBlocking(durability: .relaxed) { transaction in
                for number in 0..<5 {
                    try transaction.put(payload, at: Entries.row(round % 2 * 5 + number), updatedAt: 0)
                }
            }
        }
    }
}
