public import LarderHTTP
public import LarderStore
public import LarderTransport
public import Logging

extension QueryCache {
    /// Creates a cache of queries that uses the system's clock and network. When the network is back, it fetches
    /// observed stale queries again.
    ///
    /// ```swift
    /// let queries = QueryCache.system(store: store) { key in
    ///     key.hasPrefix(["outlets"]) || key.hasPrefix(["profile"])
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - store: Keeps values as JSON beyond the process; nil keeps everything in memory.
    ///   - maximumAge: The maximum age at which a kept value is read back; see `QueryCache.Persistence`.
    ///   - logger: Receives the log of the cache.
    ///   - connectivity: The network's state, instead of the system's.
    ///   - keeps: Returns whether the values of a key are kept in `store`; by default all are.
    public static func system(
        store: Store?, maximumAge: Duration? = .seconds(86_400), logger: Logger = Logger(label: "larder.queries"),
        connectivity: any ConnectivitySource = SystemConnectivity.source(),
        keeping keeps: @escaping @Sendable (QueryKey) -> Bool = { _ in true }
    ) -> QueryCache {
        let network = NetworkWatch(connectivity)
        let cache = QueryCache(
            host: .system(logger: logger), isOnline: { network.isOnline },
            persistence: store.map {
                Persistence(store: $0, coder: JSONPayloadCoder(), maximumAge: maximumAge, includes: keeps)
            })
        network.onReconnect { [weak cache] in cache?.reconnected() }
        return cache
    }
}
