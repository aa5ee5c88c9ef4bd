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

    /// What the network's state means.
    public var mode: Mode
    /// How old a value may be before it is fetched again; nil: for ever.
    public var staleAfter: Duration?
    /// How long an unused value is kept; nil: for ever.
    public var keepFor: Duration?
    /// Whether a value is kept beyond ``keepFor`` as long as the network is away.
    public var keepsWhileOffline: Bool
    /// Whether the query may fetch at all, asked each time: false before sign-in, say.
    public var isEnabled: @Sendable () -> Bool

    /// Options with the defaults: cache first, stale after 5 minutes, kept for 24 hours and while offline.
    public init(
        mode: Mode = .offlineFirst, staleAfter: Duration? = .seconds(300), keepFor: Duration? = .seconds(86_400),
        keepsWhileOffline: Bool = true, isEnabled: @escaping @Sendable () -> Bool = { true }
    ) {
        self.mode = mode
        self.staleAfter = staleAfter
        self.keepFor = keepFor
        self.keepsWhileOffline = keepsWhileOffline
        self.isEnabled = isEnabled
    }
}
