// ListFixture: a store with lists, on which passes are run and inspected.

import Foundation
import Larder
import LarderStore
import LarderSync
import Synchronization
import Testing

/// A store with lists in it, on which passes can be run and looked at.
final class ListFixture: Sendable {
    let path: String
    let store: Store
    let resource: ResourceKey
    let events = Mutex<[ListEvent]>([])

    init(resource: ResourceKey = ResourceKey("users", 1), host: HostServices = .system()) throws {
        // In memory where there is such a place: these tests are about order, not about the medium.
        let folder = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
        path = "\(folder)/larder-lists-\(UUID().uuidString)"
        store = try Store.open(at: path, host: host)
        self.resource = resource
    }

    deinit {
        try? store.close()
        try? FileManager.default.removeItem(atPath: path)
    }

    /// What was reported.
    var recordedEvents: [ListEvent] { events.withLock { $0 } }

    /// What pages changed, those without changes left out.
    var changes: [ListChanges] {
        recordedEvents.compactMap { event in
            if case .page(_, _, let changes) = event, !changes.isEmpty { changes } else { nil }
        }
    }

    func reconciler(_ configuration: ListConfiguration = ListConfiguration(pageSize: 4)) -> ListReconciler {
        ListReconciler(store: store, configuration: configuration) { [weak self] event in
            self?.events.withLock { $0.append(event) }
        }
    }

    @discardableResult
    func reconcile(
        _ source: some PageSource, _ configuration: ListConfiguration = ListConfiguration(pageSize: 4)
    ) async throws -> ListReport {
        (source as? ListServer)?.beginRun()
        return try await reconciler(configuration).reconcile(resource, type: "user", from: source)
    }

    /// Runs a pass that must fail, and gives the reason.
    func failure(
        _ source: some PageSource, _ configuration: ListConfiguration = ListConfiguration(pageSize: 4),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> ListError {
        try #require(
            await #expect(throws: ListError.self, sourceLocation: sourceLocation) {
                try await self.reconcile(source, configuration)
            }, sourceLocation: sourceLocation)
    }

    /// Puts rows as a pass would have, before it is run.
    func put(_ keys: some Sequence<Int>, of resource: ResourceKey? = nil) async throws {
        try await put(Dictionary(uniqueKeysWithValues: keys.map { ($0, "row \($0)") }), of: resource)
    }

    func put(_ rows: [Int: String], of resource: ResourceKey? = nil) async throws {
        let resource = resource ?? self.resource
        try await store.write { transaction in
            for (key, text) in rows {
                let item = ListServer.item(key, text)
                try transaction.put(
                    item.payload, at: RowKey(resource: resource, type: "user", key: item.key), updatedAt: 0)
            }
        }
    }

    /// The keys of the rows, in order.
    func keys(of resource: ResourceKey? = nil) throws -> [Int] {
        try store.read { view in
            var keys: [Int] = []
            try view.forEachRow(in: .all(of: resource ?? self.resource)) { entry in
                keys.append(Int(try entry.key().key) ?? -1)
            }
            return keys
        }
    }

    /// The payloads, by key.
    func payloads(of resource: ResourceKey? = nil) throws -> [Int: String] {
        let rows = try store.read { view in try view.rows(in: .all(of: resource ?? self.resource)) }
        return Dictionary(
            uniqueKeysWithValues: rows.map { (Int($0.key.key) ?? -1, String(decoding: $0.payload, as: UTF8.self)) })
    }

    /// Whether the rows are the items of a server, payload for payload.
    func isEqual(to server: ListServer, of resource: ResourceKey? = nil) throws -> Bool {
        let wanted = server.items.map { ($0, String(decoding: ListServer.item($0, $1).payload, as: UTF8.self)) }
        return try payloads(of: resource) == Dictionary(uniqueKeysWithValues: wanted)
    }

    func known() throws -> Resource? { try store.read { view in try view.resource(resource) } }

    func commit() throws -> UInt64 { try store.read { view in view.commit } }
}
