// Proves that what killed processes were writing is discarded beside a process that has the store open, and that what a
// living one is writing is not.

import CrashWorld
import Foundation
import LarderFormat
import LarderStore
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct `CrashTests: processes that write beside one that only holds` {
    private static let rows = 2000
    private let folder: TemporaryFolder
    private let holder: ChildProcess

    init() throws {
        folder = try TemporaryFolder()
        holder = try ChildProcess(["hold", folder.store])
        #expect(try holder.next(until: .now + .seconds(20)) == .ready)
    }

    /// Starts a process that writes a snapshot and a body, and waits until it has.
    private func startWriter(_ number: Int) throws -> ChildProcess {
        let child = try ChildProcess(["stage", folder.store, "\(number)", "\(Self.rows)"])
        #expect(try child.next(until: .now + .seconds(20)) == .ready)
        return child
    }

    /// Opens the store, and returns how many snapshots are being written when all garbage is removed.
    private func stagingAfterOpen() async throws -> Int {
        let store = try Store.openQuietly(at: folder.store)
        // Comes after the work that the open has left.
        try await store.reclaim()
        let generations = try store.statistics().generations
        #expect(generations.garbage == 0)
        var findings: [Finding] = []
        _ = try store.verify { findings.append($0) }
        #expect(findings.isEmpty, "first \(findings.first?.description ?? "")")
        try store.close()
        return generations.staging
    }

    private var leases: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.store)) ?? []).filter { $0.hasPrefix("opener-") }
    }

    @Test func `and are killed make the file no larger, however many they are`() async throws {
        var sizes: [Int] = []
        for number in 0..<20 {
            let child = try startWriter(number)
            #expect(leases.count == 1)
            child.kill()
            #expect(try child.finish().wasKilled)
            #expect(try await stagingAfterOpen() == 0)
            #expect(leases == [])
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.store + "/data.mdb")
            sizes.append(try #require(attributes[.size] as? Int))
        }
        #expect(sizes[19] < 2 * sizes[0], "\(sizes)")
        #expect(!holder.isAtEnd)
    }

    @Test func `and live lose nothing, even while they are stopped`() async throws {
        let dead = try startWriter(1)
        let living = try startWriter(2)
        dead.kill()
        #expect(try dead.finish().wasKilled)
        #expect(kill(living.processID, SIGSTOP) == 0)
        #expect(try await stagingAfterOpen() == 1)
        #expect(leases.count == 1)
        #expect(kill(living.processID, SIGCONT) == 0)
        #expect(FileManager.default.createFile(atPath: folder.store + "-go", contents: nil))
        #expect(try living.finish().rest == [.done])
        #expect(leases == [])
        let store = try Store.openQuietly(at: folder.store)
        let shown = try store.read { view in try view.rows(in: .all(of: ResourceKey("staged", 2))).count }
        #expect(shown == Self.rows)
        try store.close()
    }
}
