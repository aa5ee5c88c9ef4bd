public import LarderHTTP
public import LarderOutbox
public import LarderStore
public import LarderTransport
public import Logging

extension ObjectCache {
    /// Creates a cache of objects that uses the system's clock and network. When the network is back, it sends the
    /// writes that wait in memory.
    ///
    /// Writes of persistent classes wait in `outbox`, which sends them while it runs.
    ///
    /// ```swift
    /// let configuration = OutboxConfiguration(base: base).loadingObjects(of: service)
    /// let outbox = Outbox.system(store: store, transport: transport, configuration: configuration)
    /// let objects = ObjectCache.system(
    ///     service: service, transport: transport, store: store, outbox: outbox,
    ///     classes: [ObjectClass("User", persistence: .persistent)])
    /// ```
    ///
    /// - Parameters:
    ///   - service: The rules for requests to the server.
    ///   - transport: Sends the requests.
    ///   - store: The store of persistent classes; nil where there are none.
    ///   - outbox: An outbox of the same store; without one no object of a persistent class can be saved.
    ///   - classes: The classes and their persistence; classes not named are kept in memory.
    ///   - options: The behaviour unless a request specifies otherwise.
    ///   - logger: Receives the log of the cache.
    ///   - connectivity: The network's state, instead of the system's.
    public static func system(
        service: any ObjectService, transport: any Transport, store: Store? = nil, outbox: Outbox? = nil,
        classes: [ObjectClass] = [], options: ObjectCacheOptions = ObjectCacheOptions(),
        logger: Logger = Logger(label: "larder.objects"),
        connectivity: any ConnectivitySource = SystemConnectivity.source()
    ) -> ObjectCache {
        let network = NetworkWatch(connectivity)
        let cache = ObjectCache(
            service: service, transport: transport,
            persistent: store.map { ObjectBackend.store($0, writes: outbox.map { OutboxWriteQueue($0) }) },
            classes: classes,
            options: options, host: .system(logger: logger), isOnline: { network.isOnline })
        network.onReconnect { [weak cache] in
            guard let cache else { return }
            Task {
                do {
                    try await cache.sendQueued()
                } catch {
                    logger.warning("the writes that wait in memory could not be sent", metadata: ["error": "\(error)"])
                }
            }
        }
        return cache
    }
}
