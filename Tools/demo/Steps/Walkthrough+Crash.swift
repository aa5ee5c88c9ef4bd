#if Server
import Foundation
import Larder
import LarderStore
import LarderSync
import LarderURLSession
import LarderServer

extension Walkthrough {
    /// Kills another process in the middle of a replacement, and shows that the store is intact.
    func recoverFromKill() async throws {
        screen.heading("Killed in the middle of a replacement")
        try publishEdition(3)
        let outcome = try await OriginServer.run(origin) { baseURL in
            try await ChildProcess.run("/proc/self/exe", ["interrupt", storePath, baseURL, Self.filter])
        }
        guard outcome.wasKilled else { throw DemoError("the process ended by itself (\(outcome.status))") }
        let store = try Store.open(at: storePath)
        defer { try? store.close() }
        let watch = EditionCounter()
        try watch.countView(store, Self.nouns)
        let rows = try store.read { view in try view.forEachRow(in: .all(of: Self.nouns)) { _ in } }
        guard watch.counts.new == 1 else { throw DemoError("the reopened store does not show the old edition whole") }
        screen.line("reopened: edition 2 whole, \(Figures.count(rows)) rows, nothing of edition 3")
        try await store.reclaim()
        screen.addRow("after a kill in mid-replacement", "old edition whole, \(Figures.count(rows)) rows")
    }

    /// Inspects the file with the tool.
    func inspectStore() async throws {
        screen.heading("cachetool")
        for verb in ["stat", "verify", "compact"] {
            screen.line("$ cachetool \(verb)")
            let outcome = try await ChildProcess.run(cachetool, [verb, storePath])
            guard outcome.status == 0, !outcome.wasKilled else {
                throw DemoError("cachetool \(verb) ended with \(outcome.status)")
            }
        }
    }
}

/// A sync that kills its own process while a snapshot is being written.
struct Interruption {
    let storePath: String
    let server: String
    let filter: String

    func run() async throws {
        guard let base = BaseURL(server) else { throw DemoError("the server's URL is \(server)") }
        let store = try Store.open(at: storePath)
        let sync = ContentSync(
            store: store, transport: URLSessionTransport(unreadLimit: 256 << 20),
            configuration: .demo(base),
            onEvent: { event in
                // Rows have been written and the snapshot is not complete.
                if case .snapshot(_, let rows, _, _) = event, rows > 20_000 { kill(getpid(), SIGKILL) }
            })
        _ = try await sync.sync(ResourceFilter(filter))
        throw DemoError("the sync ended before it could be interrupted")
    }
}
#endif
