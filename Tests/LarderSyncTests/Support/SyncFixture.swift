// SyncFixture: an origin, a store, and a sync between them over a transport that can fail.

import Foundation
import Larder
import LarderFormat
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import Synchronization
import Testing

/// An origin, a store, and a sync between them over a transport on which a test can make things go wrong.
final class SyncFixture: Sendable {
    let origin: any EditableOrigin
    /// Everything goes through it, so everything is recorded.
    let script: ScriptedTransport
    let base: BaseURL
    let path = FileManager.default.temporaryDirectory.appending(path: "larder-\(UUID().uuidString)").path
    let store: Store
    let events = Mutex<[SyncEvent]>([])

    /// - Parameter transport: reaches the origin, or another server; nil for the origin in this process.
    init(
        origin: any EditableOrigin = Origin.ofTests(), transport: (any Transport)? = nil,
        base: String = "http://127.0.0.1/content",
        sizeCap: Int64? = nil
    ) throws {
        self.origin = origin
        script = ScriptedTransport(transport ?? OriginTransport(origin), clock: ContinuousClock())
        self.base = try #require(BaseURL(base))
        store = try Store.open(at: path, options: StoreOptions(sizeCap: sizeCap))
    }

    deinit {
        try? store.close()
        try? FileManager.default.removeItem(atPath: path)
    }

    /// A fixture whose store has the row "one" of a resource, as of `sequence`, by the filter `translations:*`.
    static func synced(_ server: CannedServer, at sequence: Int64) async throws -> SyncFixture {
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: sequence, token: "A"))
        server.on("translations/19", snapshot(at: sequence, "one"))
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync("translations:*")
        return fixture
    }

    /// Everything that was reported.
    var recordedEvents: [SyncEvent] { events.withLock { $0 } }

    /// A sync of its own; its runs are not joined with those of others.
    func contentSync(
        over transport: (any Transport)? = nil, credentials: any Credentials = FixedCredentials(),
        configure: (inout SyncConfiguration) -> Void = { _ in }
    ) -> ContentSync {
        var configuration = SyncConfiguration(base: base, laggingPause: .milliseconds(1))
        configure(&configuration)
        return ContentSync(
            store: store, transport: transport ?? script, configuration: configuration, credentials: credentials,
            onEvent: { [weak self] event in self?.events.withLock { $0.append(event) } })
    }

    @discardableResult
    func sync(
        _ filter: String, over transport: (any Transport)? = nil, credentials: any Credentials = FixedCredentials(),
        configure: (inout SyncConfiguration) -> Void = { _ in }
    ) async throws -> SyncReport {
        try await contentSync(over: transport, credentials: credentials, configure: configure)
            .sync(ResourceFilter(filter))
    }

    /// Runs a filter that must fail, and gives the reason.
    func failure(
        _ filter: String, over transport: (any Transport)? = nil, credentials: any Credentials = FixedCredentials(),
        configure: (inout SyncConfiguration) -> Void = { _ in }, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> SyncError {
        let sync = contentSync(over: transport, credentials: credentials, configure: configure)
        let parsed = try ResourceFilter(filter)
        return try #require(
            await #expect(throws: SyncError.self, sourceLocation: sourceLocation) { try await sync.sync(parsed) },
            sourceLocation: sourceLocation)
    }

    /// Runs a filter some times, hours apart, each of which has to come to its end without one translation.
    func failsWithout(
        _ id: Int64, _ filter: String, times: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for _ in 0..<times {
            try await store.write { transaction in
                try transaction.update(ResourceKey("translations", id)) { $0.failure?.failedAt -= 7_200_000 }
            }
            let error = try await failure(filter, sourceLocation: sourceLocation)
            if case .incomplete(let failures) = error, failures.map(\.resource) == [ResourceKey("translations", id)] {
                continue
            }
            Issue.record("another reason: \(error)", sourceLocation: sourceLocation)
        }
    }
}

extension SyncFixture {
    func payload(_ resource: ResourceKey, _ type: String, _ key: String) throws -> String? {
        try store.read { view in
            try view.payload(at: RowKey(resource: resource, type: type, key: key)).map {
                String(decoding: $0, as: UTF8.self)
            }
        }
    }

    /// The text of a translation's row.
    func text(_ key: Int, of id: Int64 = 19) throws -> String? {
        try payload(ResourceKey("translations", id), "translation", String(key))
    }

    func filterState(_ filter: String) throws -> FilterState? {
        try store.read { view in try view.filters().first { $0.filter == filter } }
    }

    func token(_ filter: String = "translations:*") throws -> String? { try filterState(filter)?.token }

    func resource(_ id: Int64, in group: String = "translations") throws -> Resource? {
        try store.read { view in try view.resource(ResourceKey(group, id)) }
    }

    /// All rows of a resource, by type and key.
    func rows(_ resource: ResourceKey) throws -> [String: String] {
        let rows = try store.read { view in try view.rows(in: .all(of: resource)) }
        let pairs = rows.map { ("\($0.key.type) \($0.key.key)", String(decoding: $0.payload, as: UTF8.self)) }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// All rows of a translation, by key.
    func translation(_ id: Int64) throws -> [String: String] {
        let rows = try rows(ResourceKey("translations", id))
        return Dictionary(uniqueKeysWithValues: rows.map { (String($0.key.dropFirst("translation ".count)), $0.value) })
    }

    func members(_ filter: String = "translations:*") throws -> Set<ResourceKey> {
        Set(try filterState(filter)?.members ?? [])
    }

    /// Changes what is stored of a resource, as another part of the store would.
    func edit(_ id: Int64, _ edit: @escaping @Sendable (inout ResourceRecord) -> Void) async throws {
        try await store.write { transaction in try transaction.update(ResourceKey("translations", id), edit) }
    }

    /// Drops the rows of a resource, as an eviction does.
    func evict(_ id: Int64) async throws {
        let resource = ResourceKey("translations", id)
        let isDone = try await store.write { transaction in try transaction.evict(resource) }
        #expect(isDone)
    }

    /// Checks the whole store.
    func expectSound(sourceLocation: SourceLocation = #_sourceLocation) throws {
        var findings: [String] = []
        _ = try store.verify { finding in findings.append("\(finding)") }
        #expect(findings == [], sourceLocation: sourceLocation)
    }
}
