/// The limits on the content that a run accepts. Beyond one, the run fails with a typed error, and the old state stays.
public struct SyncLimits: Hashable, Sendable {
    /// The largest number of pages in one run: by default a hundred million changes at 100 a page.
    public var pages = 1_000_000
    /// The largest number of pages in a row that bring nothing new: no change, or only resources that were listed
    /// before.
    public var idlePages = 100
    /// The largest number of resources that a bootstrap may list.
    public var resources = 1_000_000
    /// The largest body of a snapshot, in bytes; 1 GiB by default.
    public var snapshotBytes = SnapshotParser.maximumBody

    /// The defaults.
    public init() {}
}
