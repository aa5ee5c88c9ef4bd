public import LarderHTTP
public import LarderOutbox
public import LarderStore
public import LarderTransport
public import Logging

extension ObjectCache {
    /// A cache of objects that goes by the system's clock and network: when the network is back, the writes that wait in memory are sent.
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
    ///   - store: where persistent classes are kept; nil where there are none.
    ///   - outbox: of the same store; without one no object of a persistent class can be saved.
    ///   - classes: where classes are kept; those that are not named are kept in memory.
    ///   - connectivity: the network's state, in place of the system's.
    public static func system(
        service: any ObjectService, transport: any Transport, store: Store? = nil, outbox: Outbox? = nil,
        classes: [ObjectClass] = [], options: ObjectCacheOptions = ObjectCacheOptions(),
        logger: Logger = Logger(label: "larder.objects"),
        connectivity: any ConnectivitySource = SystemConnectivity.source()
    ) -> ObjectCache {
        let network = NetworkWatch(connectivity)
        let cache = ObjectCache(
            service: service, transport: transport,
            persistent: store.map { ObjectPlace.store($0, writes: outbox.map { OutboxWriteQueue($0) }) },
            classes: classes,
            options: options, host: .system(logger: logger), isOnline: { network.isOnline })
        network.whenBack { [weak cache] in
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
