public import LarderStore

/// The rules by which a query uses the cache and its fetch.
public struct KeyedQueryOptions: Sendable {
    /// The effect of the network's state on a query.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// Fetches only while online; without a fresh value it fails offline.
        case online
        /// Fetches whatever the reported state of the network is.
        case always
        /// Returns the cached value, fresh or not, and refreshes a stale one in the background while online.
        ///
        /// Without a value it fetches, or fails offline.
        case offlineFirst
    }

    /// Rows of a store that a query's fetch reads.
    public struct Source: Sendable {
        let store: Store
        let regions: [Region]

        /// The rows of `regions` in `store`.
        ///
        /// - Parameters:
        ///   - store: the store of the rows.
        ///   - regions: without the rows that hold the values of the cache itself, unlike `Region.everything`.
        public init(_ store: Store, _ regions: Region...) {
            self.store = store
            self.regions = regions
        }
    }

    /// The effect of the network's state.
    public var mode: Mode
    /// The age at which a value is stale and fetched again; nil: never.
    public var staleAfter: Duration?
    /// The time that an unused value is kept in memory; nil: for ever.
    public var keepFor: Duration?
    /// Whether a value is kept beyond ``keepFor`` while there is no network.
    public var keepsWhileOffline: Bool
    /// The rule by which a failed fetch is tried again.
    public var retry: QueryRetry
    /// The age at which an observed value is fetched again, stale or not; above zero. Nil: none.
    public var refetchInterval: Duration?
    /// The tags by which ``QueryCache/invalidate(tag:)`` finds the value, whatever its key.
    public var tags: Set<String>
    /// The rows that the fetch reads. Each commit that changes one of them, also an enqueued write, invalidates the
    /// value.
    ///
    /// A value that is read back after a relaunch is invalidated, too. For a fetch without network, use
    /// ``Mode/always``.
    public var source: Source?
    /// Whether the query may fetch at all; called each time. It returns false before sign-in, for example.
    public var isEnabled: @Sendable () -> Bool

    /// Creates options; by default cache first, stale after 5 minutes, kept for 24 hours and while offline, tried once.
    public init(
        mode: Mode = .offlineFirst, staleAfter: Duration? = .seconds(300), keepFor: Duration? = .seconds(86_400),
        keepsWhileOffline: Bool = true, retry: QueryRetry = .none, refetchInterval: Duration? = nil,
        tags: Set<String> = [], source: Source? = nil, isEnabled: @escaping @Sendable () -> Bool = { true }
    ) {
        precondition(refetchInterval.map { $0 > .zero } ?? true, "an interval above zero")
        self.mode = mode
        self.staleAfter = staleAfter
        self.keepFor = keepFor
        self.keepsWhileOffline = keepsWhileOffline
        self.retry = retry
        self.refetchInterval = refetchInterval
        self.tags = tags
        self.source = source
        self.isEnabled = isEnabled
    }

    /// Whether a fetch may be tried at all now.
    func mayFetch(isOnline: Bool) -> Bool { isEnabled() && (mode == .always || isOnline) }
}
