public import LarderHTTP
public import LarderStore
public import LarderTransport
public import Logging

extension HTTPCache {
    /// Creates a cache for `transport` that keeps lasting responses in `store`, the rest in memory, and uses the
    /// system's clock and network.
    ///
    /// - Parameters:
    ///   - store: The store; nil keeps everything in memory, so that nothing outlasts the process.
    ///   - transport: Sends the requests.
    ///   - policy: The rules for storing and reusing responses.
    ///   - options: The limits of the cache.
    ///   - storedBytes: The most bytes of responses in the store, approximately; 256 MiB by default, nil for no limit
    ///     except the store's own. It applies to responses only: no row is evicted for one, and no write fails. See
    ///     `StoreResponseCache.init(store:maximumBytes:)`.
    ///   - memoryBytes: The most bytes kept in memory.
    ///   - logger: Receives the log of the cache.
    ///   - account: Returns the signed-in account, for requests that do not name their `FetchRequest.account`.
    public static func system(
        store: Store?, transport: any Transport, policy: CachePolicy = CachePolicy(),
        options: HTTPCacheOptions = HTTPCacheOptions(), storedBytes: Int64? = 256 << 20, memoryBytes: Int = 5_000_000,
        logger: Logger = Logger(label: "larder.http"), account: @escaping @Sendable () -> String? = { nil }
    ) -> HTTPCache {
        let network = NetworkWatch(SystemConnectivity.source())
        return HTTPCache(
            transport: transport, persistent: store.map { StoreResponseCache(store: $0, maximumBytes: storedBytes) },
            memory: MemoryResponseCache(maximumBytes: memoryBytes), policy: policy, options: options,
            services: .system(logger: logger), isOnline: { network.isOnline }, account: account)
    }
}
