#if Server
import Foundation
import Larder
import LarderStore
import LarderSync
import LarderServer
import LarderURLSession
import Synchronization

/// The steps of the demo in their order, and their shared state.
final class Walkthrough: Sendable {
    static let filter = "iso_codes:*;wordnet:*"
    static let nouns = ResourceKey("wordnet", 1)

    let storePath: String
    let cachetool: String
    let screen = Screen()
    let origin: Origin
    // The server of the demo sends faster than rows are written, and URLSession cannot pause it.
    let transport = URLSessionTransport(unreadLimit: 256 << 20)
    private let swaps = Mutex<[ResourceKey: Duration]>([:])

    init(storePath: String, cachetool: String) {
        self.storePath = storePath
        self.cachetool = cachetool
        var generator = SystemRandomNumberGenerator()
        origin = Origin(secret: TokenSecret(using: &generator), now: { Int64(Date().timeIntervalSince1970 * 1000) })
    }

    /// Runs the steps and prints the table of their times.
    func run() async throws {
        try await steps()
        screen.table()
    }

    private func steps() async throws {
        try await fillOrigin()
        try? FileManager.default.removeItem(atPath: storePath)
        let store = try Store.open(at: storePath)
        try await OriginServer.run(origin) { baseURL in
            screen.line("The origin serves at \(baseURL)")
            try await bootstrap(store, baseURL)
            try readWord(store)
            try await syncEdits(store, baseURL)
            try await replaceWhileReading(store, baseURL)
        }
        try await readOffline(store)
        try store.close()
        try await recoverFromKill()
        try await inspectStore()
    }

    /// Returns a sync with the server at `baseURL` that shows its progress.
    func makeSync(_ store: Store, _ baseURL: String) throws -> ContentSync {
        guard let base = BaseURL(baseURL) else { throw DemoError("the server's URL is \(baseURL)") }
        return ContentSync(
            store: store, transport: transport, configuration: .demo(base),
            onEvent: { [self] event in show(event) })
    }

    /// Returns the duration of the last swap of a resource.
    func swapTime(of resource: ResourceKey) -> Duration? {
        swaps.withLock { $0[resource] }
    }

    private func show(_ event: SyncEvent) {
        switch event {
        case .snapshot(let resource, let rows, let bytes, _):
            screen.progress("  \(resource): \(Figures.count(rows)) rows, \(Figures.bytes(bytes))")
        case .swapped(let resource, let rows, let bytes, let duration):
            swaps.withLock { $0[resource] = duration }
            screen.line(
                "  \(resource): \(Figures.count(rows)) rows, \(Figures.bytes(bytes)), swapped in \(Figures.time(duration))"
            )
        case .tokenRejected, .hidden, .swept, .unknownMutation, .lagging, .notStored, .unknownGroup, .schemaChanged,
            .resourceFailed, .failed, .slowed, .overdue, .intercepted:
            screen.line("  \(event)")
        case .began, .page, .finished:
            break
        }
    }
}

/// The error for a step of the demo with an unexpected result.
struct DemoError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension SyncConfiguration {
    /// Returns the configuration for the demo's server, which has another port at each start but the same identity.
    static func demo(_ base: BaseURL) -> SyncConfiguration {
        var configuration = SyncConfiguration(base: base)
        configuration.serverIdentity = "demo"
        return configuration
    }
}
#endif
