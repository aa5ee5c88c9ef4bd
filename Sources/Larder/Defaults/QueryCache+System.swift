public import LarderHTTP
public import LarderStore
public import LarderTransport
public import Logging

extension QueryCache {
    /// A cache of queries that goes by the system's clock and network: when the network is back, what is observed and stale is fetched
    /// again.
    ///
    /// ```swift
    /// let queries = QueryCache.system(store: store) { key in key.hasPrefix(["outlets"]) || key.hasPrefix(["profile"]) }
    /// ```
    ///
    /// - Parameters:
    ///   - store: where values are kept beyond the process, as JSON; nil keeps everything in memory.
    ///   - maximumAge: how old a kept value may be to be read back; see ``QueryCache/Persistence``.
    ///   - connectivity: the network's state, in place of the system's.
    ///   - keeps: picks the keys whose values are kept in `store`; by default all.
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
        network.whenBack { [weak cache] in cache?.reconnected() }
        return cache
    }
}
