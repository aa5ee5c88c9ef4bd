internal import LarderEngine
internal import LarderFormat
public import LarderHTTP
public import LarderOutbox
internal import LarderQuery
public import LarderStore
public import LarderSync
public import LarderTransport

#if ServiceLifecycle
public import ServiceLifecycle

extension ContentCache: Service {}
#endif

/// An offline-first cache of a server's content: rows kept in sync, writes made offline, and stored responses, in one
/// directory.
///
/// Reads never wait for the network. Content is replaced as a whole or not at all. A write is durable when the call
/// returns, and is sent once. The parts are public for everything that is not on this surface: ``store``,
/// ``content``, ``outbox``, ``session``, ``http``.
///
/// ```swift
/// let cache = try await ContentCache.open(
///     .applicationSupport("words"), content: "https://api.example.org/content", writes: "https://api.example.org",
///     rows: [Verse.self, Note.self], services: .system(transport))
/// let running = Task { try await cache.run() }  // syncs, and sends writes
/// for await progress in cache.keep("translations:*") { print(progress) }  // ends when ready, or with a problem
/// let verse = try cache.row(Verse.self, 1005, in: "translations/10")
/// print(verse?.text ?? "not here")
/// running.cancel()
/// ```
public final class ContentCache: Sendable {
    /// The store of the cache.
    public let store: Store
    /// Keeps content in sync; nil where the cache was opened without a content server.
    public let content: SyncCoordinator?
    /// Sends writes; nil where the cache was opened without a server for them.
    public let outbox: Outbox?
    /// The account that is signed in.
    public let session: Session
    /// Fetches over HTTP, and keeps responses in the store.
    public let http: HTTPCache
    /// The rows that the cache knows, as SQL tables.
    let query: StoreQuery
    private let schemas: [RowSchema]

    private init(
        store: Store, content: SyncCoordinator?, outbox: Outbox?, session: Session, http: HTTPCache, query: StoreQuery,
        schemas: [RowSchema]
    ) {
        self.store = store
        self.content = content
        self.outbox = outbox
        self.session = session
        self.http = http
        self.query = query
        self.schemas = schemas
    }

    /// Opens the cache in a directory, which is created when it does not exist.
    ///
    /// The indexes of `rows` are declared; where stored rows have none yet, they are read once for that.
    ///
    /// - Parameters:
    ///   - location: The directory of the cache.
    ///   - content: The server of the content-sync protocol, whose paths begin below this address.
    ///   - writes: The server that writes are sent to; nil where the app writes nothing.
    ///   - rows: The types of rows that the app reads or writes.
    ///   - services: What the cache uses of the world.
    ///   - options: Credentials, accounts and limits.
    /// - Throws: As `Store.open(at:options:host:)`, or `Store.open(at:seededFrom:options:host:)` where the options name
    ///   a seed; as `Store.declareIndexes(_:)`; `QueryError.definition(_:)` where
    ///   two types of rows have one name, or a name is reserved.
    public static func open(
        _ location: CacheLocation, content: BaseURL? = nil, writes: BaseURL? = nil, rows: [any CachedRow.Type] = [],
        services: CacheServices, options: CacheOptions = CacheOptions()
    ) async throws -> ContentCache {
        let store = try openStore(location, services.host, options)
        do {
            let schemas = rows.map { $0.schema }
            let query = try StoreQuery(store, tables: try rows.map { try $0.table(services.host.logger) })
            try await declareIndexes(schemas, in: store)
            if options.contentIsShared || !options.hasAccounts { try await shareContent(in: store) }
            let session = try Session(
                store: store, secrets: services.secrets, authenticator: options.authenticator,
                contentIsShared: options.contentIsShared)
            return ContentCache(
                store: store, content: content.map { coordinator(of: $0, store, services, options) },
                outbox: writes.map { outbox(to: $0, store, services, options, session) }, session: session,
                http: httpCache(store, services, options, session), query: query, schemas: schemas)
        } catch {
            try? store.close()
            throw error
        }
    }

    private static func openStore(
        _ location: CacheLocation, _ host: HostServices, _ options: CacheOptions
    ) throws -> Store {
        guard let seed = options.seed else { return try .open(at: location.path, options: options.store, host: host) }
        return try .open(at: location.path, seededFrom: seed, options: options.store, host: host)
    }

    private static func coordinator(
        of base: BaseURL, _ store: Store, _ services: CacheServices, _ options: CacheOptions
    ) -> SyncCoordinator {
        SyncCoordinator(
            store: store, transport: services.transport, configuration: SyncConfiguration(base: base),
            policy: options.sync, credentials: options.credentials, connectivity: services.connectivity,
            power: services.power,
            probe: HTTPReachabilityProbe(
                transport: services.transport, base: base, path: "\(ServerPath.prefix)resources/sync"))
    }

    private static func outbox(
        to base: BaseURL, _ store: Store, _ services: CacheServices, _ options: CacheOptions, _ session: Session
    ) -> Outbox {
        var configuration = OutboxConfiguration(base: base)
        configuration.conflicts = options.conflicts
        if options.hasAccounts { configuration.signIn = session.renewal }
        let outbox = Outbox(
            store: store, transport: services.transport, configuration: configuration,
            policy: options.outbox, credentials: options.credentials, connectivity: services.connectivity)
        if options.hasAccounts { session.attach(outbox) }
        return outbox
    }

    private static func httpCache(
        _ store: Store, _ services: CacheServices, _ options: CacheOptions, _ session: Session
    ) -> HTTPCache {
        let network = NetworkWatch(services.connectivity)
        return HTTPCache(
            transport: services.transport,
            persistent: StoreResponseCache(store: store, maximumBytes: options.storedResponseBytes),
            memory: MemoryResponseCache(maximumBytes: 5_000_000),
            options: options.http, services: services.host,
            isOnline: { network.isOnline }, account: { session.authentication.account })
    }

    /// Has stored content belong to no account; without this it would not be synced while its account is signed out.
    private static func shareContent(in store: Store) async throws {
        do {
            guard !store.isReadOnly, try store.read({ view in try view.contentAccount() }) != nil else { return }
        } catch StoreError.damaged {
            // The cache opens, so that the content can be removed; nothing is fetched or sent before.
            return
        }
        try await store.write { transaction in try transaction.bindContent(to: nil) }
    }

    /// Declares the indexes of the rows, and removes those of the same rows that an earlier version of the app declared.
    private static func declareIndexes(_ schemas: [RowSchema], in store: Store) async throws {
        let wanted = try schemas.flatMap { schema in
            try schema.indexes.map { try schema.table().index(on: $0, name: "rows.\(schema.type).\($0)") }
        }
        try await store.declareIndexes(wanted)
        let names = Set(wanted.map(\.name))
        let declared = try store.read { view in try view.indexes().map(\.definition.name) }
        for schema in schemas {
            for name in declared where name.hasPrefix("rows.\(schema.type).") && !names.contains(name) {
                _ = try await store.removeIndex(named: name)
            }
        }
    }

    /// Removes the content of the server and of all responses, so that another account can sign in.
    ///
    /// Content that the app keeps is fetched again while ``run()`` runs, once an account is signed in. Sign the old
    /// account out first: content that belongs to an account is fetched and stored only while it is signed in. A
    /// `QueryCache` or `ObjectCache` that the app made over the store has content in memory, which it removes itself.
    ///
    /// ```swift
    /// do {
    ///     try await cache.session.signIn(as: "user-2")
    /// } catch SessionError.contentOfOtherAccount {
    ///     try await cache.removeContent()
    ///     try await cache.session.signIn(as: "user-2")
    /// }
    /// ```
    ///
    /// - Parameter discardingUnsent: Whether writes that were not sent are removed too, and those that the server refused
    ///   and the app has not handled.
    /// - Throws: As `Store.clear(discardingUnsent:)`, such as `StoreError.unsentWrites(_:)` with nothing removed; as
    ///   `HTTPCache.clear()`.
    public func removeContent(discardingUnsent: Bool = false) async throws {
        try await store.clear(discardingUnsent: discardingUnsent)
        try await http.clear()
        try await Self.declareIndexes(schemas, in: store)
        content?.trigger(.manual(nil))
    }

    /// Closes the cache. Call it when ``run()`` has returned; it waits for reads under way. Does nothing where the cache
    /// is closed already, as after ``running(_:)``.
    ///
    /// - Throws: As `Store.close(within:)`.
    public func close() async throws {
        await http.close()
        do { try store.close() } catch EngineError.closed {}
    }
}

extension ContentCache {
    /// Keeps content in sync and sends writes, until the task is cancelled or a part ends with an error.
    ///
    /// With the trait `ServiceLifecycle` the cache is a service of that package, and ends on a graceful shutdown. Reads and
    /// writes work without a run; nothing is fetched or sent then. Returns at once where the cache has neither a content server nor one for writes.
    ///
    /// - Throws: As `SyncCoordinator.run()` and `Outbox.run()`.
    public func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await withThrowingTaskGroup(of: Void.self) { parts in
                    if let content = self.content { parts.addTask { try await content.run() } }
                    if let outbox = self.outbox { parts.addTask { try await outbox.run() } }
                    // Each ends by itself on a graceful shutdown; an error ends the other.
                    try await parts.waitForAll()
                }
            }
            group.addTask { await self.followSignIns() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Runs the cache while `body` runs, and closes it: for a program that ends, such as a tool.
    ///
    /// ```swift
    /// try await cache.running {
    ///     for await progress in cache.keep("translations:*") { print(progress) }
    /// }
    /// ```
    ///
    /// - Throws: What `body` throws; the errors of ``run()``, which cancel `body`; as ``close()``.
    public func running<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let result: Result
        do {
            result = try await withThrowingTaskGroup(of: Result?.self) { group in
                group.addTask {
                    try await self.run()
                    return nil
                }
                group.addTask { try await body() }
                defer { group.cancelAll() }
                // A run without servers, or one that was shut down, ends before the body.
                while let ended = try await group.next() { if let ended { return ended } }
                throw CancellationError()
            }
        } catch {
            try? await close()
            throw error
        }
        try await close()
        return result
    }

    /// Has content that failed for its credentials tried again when an account signs in.
    private func followSignIns() async {
        for await authentication in session.authenticationStates().dropFirst() {
            if case .signedIn = authentication { content?.trigger(.signedIn) }
        }
    }
}
