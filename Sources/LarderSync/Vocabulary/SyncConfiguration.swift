public import LarderTransport

/// The settings for syncing with one server.
///
/// ```swift
/// var configuration = SyncConfiguration(base: base, concurrentSnapshots: 2)
/// configuration.limits.snapshotBytes = 100 << 20
/// configuration.serverIdentity = "content"  // stays the same when the server's address changes
/// let sync = ContentSync(store: store, transport: transport, configuration: configuration)
/// print(try await sync.sync(filter))
/// ```
public struct SyncConfiguration: Sendable {
    /// The base URL that the server's paths are appended to.
    public var base: BaseURL
    /// The name that tokens and resources are bound to (`ServerMismatch`); nil for that of ``base``. Set it for a
    /// server that has several addresses, or moves.
    public var serverIdentity: String?
    /// The largest number of changes on one page; 1 to 100.
    public var perPage: Int
    /// The mapping that makes the keys of a snapshot's rows.
    public var keyMapping: RowKeyMapping
    /// The number of snapshots fetched at the same time; they are written one at a time.
    public var concurrentSnapshots: Int
    /// The number of times a snapshot is fetched before one that is too old counts as failed.
    public var snapshotAttempts: Int
    /// The wait before a snapshot that is too old is fetched again; twice as long before the third attempt, and so on.
    ///
    /// A page of a server with a lower sequence than the applied one is requested again after this time, then after 8
    /// and 64 times as long. The server then counts as restored from a backup, at most once in an hour.
    public var laggingPause: Duration
    /// The limits on the content that a run accepts from the server.
    public var limits: SyncLimits
    /// The time limits for each step of an exchange.
    public var timeouts: TransportTimeouts

    /// A configuration with the protocol's defaults.
    public init(
        base: BaseURL, perPage: Int = 100, keyMapping: RowKeyMapping = .contentSync, concurrentSnapshots: Int = 3,
        snapshotAttempts: Int = 3, laggingPause: Duration = .seconds(1), limits: SyncLimits = SyncLimits(),
        timeouts: TransportTimeouts = TransportTimeouts()
    ) {
        precondition((1...100).contains(perPage), "a page has 1 to 100 changes")
        precondition(concurrentSnapshots > 0 && snapshotAttempts > 0, "at least one snapshot, at least once")
        self.base = base
        self.perPage = perPage
        self.keyMapping = keyMapping
        self.concurrentSnapshots = concurrentSnapshots
        self.snapshotAttempts = snapshotAttempts
        self.laggingPause = laggingPause
        self.limits = limits
        self.timeouts = timeouts
    }
}

extension SyncConfiguration {
    /// The name by which the store knows the server.
    var server: String { serverIdentity ?? base.identity }

    /// Returns the wait before a page with a bound below the applied sequence is requested again; attempts count from
    /// 1.
    func rollbackPause(_ attempt: Int) -> Duration { laggingPause * (1 << (3 * (attempt - 1))) }
}
