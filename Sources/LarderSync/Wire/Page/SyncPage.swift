/// One page of a run.
public struct SyncPage: Hashable, Sendable {
    /// The greatest sequence that any page of the run may have; fixed for the run, 0 or greater. It is not a
    /// checkpoint.
    public var syncUntilSequence: Int64
    /// Whether another page follows.
    public var hasMore: Bool
    /// The path of the next page, unchecked (see ``ServerPath``); `nil` exactly on the final page.
    public var nextPageURL: String?
    /// The token to store once the run is done; `nil` exactly where another page follows.
    public var nextSyncToken: String?
    /// The changes, as the server ordered them.
    public var mutations: [Mutation]

    /// A page of the given parts.
    public init(
        syncUntilSequence: Int64, hasMore: Bool, nextPageURL: String?, nextSyncToken: String?, mutations: [Mutation]
    ) {
        self.syncUntilSequence = syncUntilSequence
        self.hasMore = hasMore
        self.nextPageURL = nextPageURL
        self.nextSyncToken = nextSyncToken
        self.mutations = mutations
    }

    /// Checks that the page continues after the one before: sequences strictly ascend and stay within the run.
    ///
    /// Call it for incremental runs; a bootstrap lists resources, in no promised order.
    ///
    /// - Parameter previous: the last sequence of the pages before; `nil` before the first mutation.
    /// - Returns: the last sequence now, for the check of the next page.
    /// - Throws: ``WireError/outOfOrder(path:)`` for a sequence not above the one before,
    ///   ``WireError/beyondRun(path:)`` for one above ``syncUntilSequence``; for the first such mutation.
    public func validateOrder(after previous: Int64?) throws(WireError) -> Int64? {
        var last = previous
        for (index, mutation) in mutations.enumerated() {
            let path = "sync.mutations[\(index)].sequence"
            if let last, mutation.sequence <= last { throw .outOfOrder(path: path) }
            guard mutation.sequence <= syncUntilSequence else { throw .beyondRun(path: path) }
            last = mutation.sequence
        }
        return last
    }
}
