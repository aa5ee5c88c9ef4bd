public import LarderHTTP
public import LarderStore
public import LarderTransport
public import Logging

extension HTTPCache {
    /// A cache in front of `transport` that keeps what is to last in `store`, the rest in memory, and goes by the
    /// system's clock and network.
    ///
    /// - Parameters:
    ///   - store: nil keeps everything in memory: nothing outlasts the process.
    ///   - storedBytes: the most bytes that responses take in the store, about; 256 MiB by default, nil for no other limit than the
    ///     store's own. Holds for the responses alone: no row is evicted for one, and no write fails. See
    ///     ``StoreResponseCache/init(store:maximumBytes:)``.
    ///   - memoryBytes: the most bytes kept in memory.
    ///   - account: who is signed in, for requests that do not name their ``FetchRequest/account``.
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
