/// What a run takes from a server at most. Beyond it the run fails with a typed error and the old state stays.
public struct SyncLimits: Hashable, Sendable {
    /// The pages of one run: by default a hundred million changes at 100 a page.
    public var pages = 1_000_000
    /// The pages in a row that bring nothing new: no change, or only resources that were listed before.
    public var idlePages = 100
    /// The resources that a bootstrap may list.
    public var resources = 1_000_000
    /// The bytes of one full copy's body; 1 GiB by default.
    public var fullCopyBytes = FullCopyParser.maximumBody

    /// The defaults.
    public init() {}
}
