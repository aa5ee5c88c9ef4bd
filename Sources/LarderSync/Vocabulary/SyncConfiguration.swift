public import LarderTransport

/// How to sync with one server.
public struct SyncConfiguration: Sendable {
    /// Where the server's paths are appended.
    public var base: BaseURL
    /// The name that tokens and resources are bound to (`ServerMismatch`); nil: that of ``base``. For a server that has several
    /// addresses, or moves.
    public var serverIdentity: String?
    /// Changes on one page; 1 to 100.
    public var perPage: Int
    /// Makes the keys of a full copy's rows.
    public var keyMapping: RowKeyMapping
    /// Full copies fetched at the same time; they are written one at a time.
    public var concurrentFullCopies: Int
    /// How often a full copy is fetched before one that is too old fails the run.
    public var fullCopyAttempts: Int
    /// How long to wait before a full copy that is too old is fetched again; twice as long before the third try, and
    /// so on. A server that counts fewer changes than before is asked again after this time, 8 and 64 times as long, and
    /// then taken for one that was restored from a backup, at most once in an hour.
    public var laggingPause: Duration
    /// What a run takes from the server at most.
    public var limits: SyncLimits
    /// How long to wait for each step of an exchange.
    public var timeouts: TransportTimeouts

    /// A configuration with the protocol's defaults.
    public init(
        base: BaseURL, perPage: Int = 100, keyMapping: RowKeyMapping = .contentSync, concurrentFullCopies: Int = 3,
        fullCopyAttempts: Int = 3, laggingPause: Duration = .seconds(1), limits: SyncLimits = SyncLimits(),
        timeouts: TransportTimeouts = TransportTimeouts()
    ) {
        precondition((1...100).contains(perPage), "a page has 1 to 100 changes")
        precondition(concurrentFullCopies > 0 && fullCopyAttempts > 0, "at least one full copy, at least once")
        self.base = base
        self.perPage = perPage
        self.keyMapping = keyMapping
        self.concurrentFullCopies = concurrentFullCopies
        self.fullCopyAttempts = fullCopyAttempts
        self.laggingPause = laggingPause
        self.limits = limits
        self.timeouts = timeouts
    }
}

extension SyncConfiguration {
    /// What the store knows the server by.
    var server: String { serverIdentity ?? base.identity }

    /// How long to wait before a server is asked again that counts fewer changes than were applied; attempts count from 1.
    func restorationPause(_ attempt: Int) -> Duration { laggingPause * (1 << (3 * (attempt - 1))) }
}
