// CountFixture: the content that the counted paths use.

import Foundation
import HTTPTypes
import LarderFormat
import LarderHTTP
import LarderOutbox
import LarderQuery
import LarderStore

/// The content that the counted paths use, in stores with small maps, as callgrind needs them.
final class CountFixture: Sendable {
    static let rowCount = 10_000
    static let pending = 1_000
    static let patched = 1_000
    static let shopItems = 5_000

    let rows = TranslationRows(count: rowCount)
    let resource = TranslationRows.resource(1)
    /// A resource with a patch over each of its rows.
    let overlaid = TranslationRows.resource(2)
    /// A resource that is replaced.
    let loaded = TranslationRows.resource(3)
    let keys: [RowKey]
    let patchedKeys: [RowKey]
    /// The store of the rows, with 1,000 observers of other resources.
    let content: OutboxFixture
    /// A store of the rows that was opened again: the pages that a read meets are checked.
    let opened: Store
    /// An outbox with 1,000 writes.
    let full: OutboxFixture
    /// An outbox that is empty.
    let empty: OutboxFixture
    let memory: HTTPCache
    let persistent: HTTPCache
    let query: StoreQuery
    /// A catalogue with indexes.
    let shop: StoreQuery
    let items: ShopItems
    let request: FetchRequest
    private let directory: ScratchDirectory
    private let shopDirectory: ScratchDirectory
    private let shopStore: Store
    private let observers: [Task<Void, Never>]

    init() async throws {
        directory = try ScratchDirectory()
        let options = StoreOptions(mapSize: 256 << 20, mapSizeCap: 256 << 20)
        // With a clock that stands still, no batch ends early because time has passed.
        content = try OutboxFixture(options: options, elapsed: { .zero })
        keys = (0..<2_000).map { OutboxFixture.key($0 * 7_919 % Self.rowCount, in: TranslationRows.resource(1)) }
        patchedKeys = (0..<Self.patched).map { OutboxFixture.key($0, in: TranslationRows.resource(2)) }
        full = try OutboxFixture(options: options)
        empty = try OutboxFixture(options: options)
        opened = try await Self.openAgain(rows, options, in: directory)
        let store = content.store
        try await store.load(rows, into: resource)
        try await store.load(TranslationRows(count: Self.patched), into: overlaid)
        try await content.patch(overlaid, 0..<Self.patched, layer: 1)
        try await full.enqueue(Self.pending)
        let server = AcceptingServer(bodySize: 4_096)
        memory = HTTPCache(transport: server, persistent: MemoryResponseCache(), services: .benchmark())
        persistent = HTTPCache(
            transport: server, persistent: StoreResponseCache(store: store), services: .benchmark())
        let table = try TableDefinition(
            "rows", of: .group(TranslationRows.group), type: TranslationRows.type,
            columns: [ColumnDefinition("language_name")])
        query = try StoreQuery(store, tables: [table])
        let fixture = try await ShopFixture.make(count: Self.shopItems, options: options)
        (shop, items, shopDirectory, shopStore) = (fixture.query, fixture.items, fixture.directory, fixture.store)
        guard let request = FetchRequest("http://bench.test/page") else { throw PeerError.code(0) }
        self.request = request
        observers = (1...1_000).map { number in
            let changes = store.changes(in: .resource(ResourceKey("others", Int64(number))))
            return Task { for await _ in changes {} }
        }
    }

    /// The commits of all stores.
    var commits: Int { [content, full, empty].reduce(0) { $0 + $1.store.writerStatistics.commits } }

    func close() throws {
        for observer in observers { observer.cancel() }
        for part in [content, full, empty] { try part.store.close() }
        try opened.close()
        try shopStore.close()
    }

    private static func openAgain(
        _ rows: TranslationRows, _ options: StoreOptions, in directory: ScratchDirectory
    ) async throws -> Store {
        let path = directory.path("opened")
        let store = try openStore(at: path, options: options)
        try await store.load(rows, into: TranslationRows.resource(1))
        try store.close()
        return try openStore(at: path, options: options)
    }

    /// Enqueues so many writes with a key in a transaction that is aborted.
    func enqueueAndAbort(_ count: Int) async throws {
        let writes = try (0..<count).map { try full.outbox.prepare(OutboxFixture.write(Self.pending + $0)) }
        do {
            try await full.store.write { transaction in
                for write in writes { try expect(transaction.enqueue(write), .queued(write.id), "the result") }
                throw CancellationError()
            }
        } catch is CancellationError {}
    }
}
