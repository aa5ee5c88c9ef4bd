public import LarderStore

/// How a query is answered.
public struct KeyedQueryOptions: Sendable {
    /// What the network's state means for a query.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// Fetches only while online; without a fresh value it fails offline.
        case online
        /// Fetches whatever the network's state is said to be.
        case always
        /// Answers with what is there, fresh or not, and refreshes behind the caller's back while online.
        case offlineFirst
    }

    /// Rows of a store that a query's fetch reads.
    public struct Source: Sendable {
        let store: Store
        let regions: [Region]

        /// The rows of `regions` in `store`.
        ///
        /// - Parameter regions: not those that the values of the cache itself are kept in, as ``Region/everything`` holds them.
        public init(_ store: Store, _ regions: Region...) {
            self.store = store
            self.regions = regions
        }
    }

    /// What the network's state means.
    public var mode: Mode
    /// How old a value may be before it is fetched again; nil: for ever.
    public var staleAfter: Duration?
    /// How long an unused value is kept; nil: for ever.
    public var keepFor: Duration?
    /// Whether a value is kept beyond ``keepFor`` as long as the network is away.
    public var keepsWhileOffline: Bool
    /// How often a failed fetch is tried again.
    public var retry: QueryRetry
    /// The age at which an observed value is fetched again, stale or not; above zero. Nil: no age.
    public var refetchInterval: Duration?
    /// Names by which ``QueryCache/invalidate(tag:)`` finds the value, whatever its key.
    public var tags: Set<String>
    /// The rows that the fetch reads: each commit that changes one of them, an enqueued write's effect among them, invalidates the value.
    ///
    /// A value that is read back after a relaunch is invalidated, too. A fetch that needs no network goes with ``Mode/always``.
    public var source: Source?
    /// Whether the query may fetch at all, asked each time: false before sign-in, say.
    public var isEnabled: @Sendable () -> Bool

    /// Creates options; by default cache first, stale after 5 minutes, kept for 24 hours and while offline, fetched once.
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
