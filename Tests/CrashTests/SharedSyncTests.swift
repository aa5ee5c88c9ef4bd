// Proves that a process leaves a bootstrap to the process that runs it, and continues it when that one is killed.
import CrashWorld
import Foundation
import LarderStore
import LarderSync
import LarderTransport
import Synchronization
import Testing

@Suite(.serialized, .timeLimit(.minutes(20))) struct `CrashTests: two processes with one filter` {
    @Test func `fetch no resource twice, except what was being fetched at a kill`() async throws {
        let content = BulkContent(resources: 4000, rowsPerResource: 5)
        let folder = try TemporaryFolder()
        let child = try ChildProcess(["bulk", folder.store, "\(content.resources)", "\(content.rowsPerResource)", "50"])
        var fetched = 0
        // What it says after this fills the pipe, so that it waits in the middle of the bootstrap.
        while fetched == 0, let acknowledgement = try child.next(until: .now + .seconds(60)) {
            if case .fetching(_, let rows) = acknowledgement { fetched += rows }
        }
        let store = try Store.openQuietly(at: folder.store)
        defer { try? store.close() }
        let own = Mutex(0)
        let transport = try BulkTransport(content) { _, rows in own.withLock { $0 += rows } }
        let sync = ContentSync(
            store: store, transport: transport,
            configuration: SyncConfiguration(base: BaseURL("http://127.0.0.1/content")))
        let filter = try ResourceFilter(BulkContent.filter)
        let error = await #expect(throws: SyncError.self) { try await sync.sync(filter) }
        guard case .superseded? = error else {
            Issue.record("the child had finished, or another run interfered: \(error.map { "\($0)" } ?? "no error")")
            return
        }
        #expect(own.withLock { $0 } == 0)
        child.kill()
        let (rest, wasKilled) = try child.finish()
        #expect(wasKilled)
        for case .fetching(_, let rows) in rest { fetched += rows }
        _ = try await sync.sync(filter)
        // Three snapshots at a time may have been under way.
        #expect(fetched + own.withLock { $0 } <= content.rowCount + 3 * content.rowsPerResource)
        let counted = try store.read { view in try view.readiness(of: BulkContent.filter)?.members.count }
        #expect(counted == content.resources)
    }
}
