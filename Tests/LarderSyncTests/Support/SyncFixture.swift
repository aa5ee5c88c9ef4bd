import Foundation
import Larder
import LarderServer
import Synchronization
import Testing

/// An origin, a store and a sync between them.
final class SyncFixture: Sendable {
    let origin = Origin(secret: TokenSecret(1, 2), now: { 1_700_000_000_000 })
    let path = FileManager.default.temporaryDirectory.appending(path: "larder-\(UUID().uuidString)").path
    let store: Store
    let events = Mutex<[SyncEvent]>([])

    init() throws {
        store = try Store.open(at: path)
    }

    deinit {
        try? store.close()
        try? FileManager.default.removeItem(atPath: path)
    }

    func sync(
        _ filter: String, over transport: (any Transport)? = nil,
        configure: (inout SyncConfiguration) -> Void = { _ in }
    ) async throws -> SyncReport {
        let base = try #require(BaseURL("http://127.0.0.1/content"))
        var configuration = SyncConfiguration(base: base)
        configure(&configuration)
        let sync = ContentSync(
            store: store, transport: transport ?? OriginTransport(origin: origin), configuration: configuration,
            onEvent: { [weak self] event in self?.events.withLock { $0.append(event) } })
        return try await sync.sync(ResourceFilter(filter))
    }

    func payload(_ resource: ResourceKey, _ type: String, _ key: String) throws -> String? {
        try store.read { view in
            try view.payload(at: RowKey(resource: resource, type: type, key: key)).map {
                String(decoding: $0, as: UTF8.self)
            }
        }
    }

    func filterState(_ filter: String) throws -> FilterState? {
        try store.read { view in try view.filters().first { $0.filter == filter } }
    }
}

extension Origin {
    /// Creates a resource of `count` translations.
    func addTranslations(_ id: Int64, count: Int) throws {
        _ = try createResource(
            ResourceID("translations", id),
            rows: (1...max(count, 1)).prefix(count).map { number in
                Row(type: "translation", key: String(number), "{\"id\":\(number),\"text\":\"row \(number)\"}")
            })
    }
}
