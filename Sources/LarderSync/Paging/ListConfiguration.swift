/// The settings for reconciling lists.
public struct ListConfiguration: Hashable, Sendable {
    /// The protection against a pass that would delete suspiciously many rows.
    ///
    /// A pass is suspicious when an empty list replaces one with rows, or when it would delete more than ``share`` of
    /// the rows, however few they are. A server that fails with an empty or short response looks the same.
    public struct Guard: Hashable, Sendable {
        /// The action for a suspicious pass.
        public enum Policy: String, Hashable, Sendable {
            /// Ends the pass with ``ListError/unconfirmed(deletions:ofRows:)``. A pass that is at least ``pause`` later
            /// deletes the rows that are missing there, too. Missing rows are remembered while the store is open. They
            /// are forgotten as soon as a pass in between receives any item and does not miss the same rows.
            ///
            /// A server that is wrong in both passes, and returns nothing correct in between, counts as right: it
            /// cannot be distinguished from one whose list is empty.
            case confirm
            /// Ends the pass with ``ListError/refused(deletions:ofRows:)`` and deletes nothing.
            case refuse
            /// Deletes as soon as one walk has seen the whole list, few rows or many. If a server states too early that
            /// nothing follows, live rows are lost until the next pass.
            case trust
        }

        /// The action for a suspicious pass.
        public var policy: Policy
        /// The share of a list's rows that a pass may delete without being suspicious; 0 to 1.
        public var share: Double
        /// The time after which a later pass confirms missing rows; zero or more.
        public var pause: Duration

        /// A guard that, by default, deletes more than half of the rows only in a later pass, a minute or more away.
        public init(
            _ policy: Policy = .confirm, share: Double = 0.5, pause: Duration = .seconds(60)
        ) {
            precondition((0...1).contains(share), "a share of \(share) is not 0 to 1")
            precondition(pause >= .zero, "a pause of \(pause)")
            self.policy = policy
            self.share = share
            self.pause = pause
        }

        /// Whether deleting `deletions` of `rows` rows is suspicious.
        func isSuspicious(deletions: Int, ofRows rows: Int) -> Bool {
            deletions > 0 && (deletions == rows || Double(deletions) > share * Double(rows))
        }
    }

    /// The largest page size.
    public static let largestPage = 10_000

    /// The number of items to request for one page; 1 to ``largestPage``. A server may return fewer: the walk continues
    /// after the items that it received.
    public let pageSize: Int
    /// The protection against a pass that would delete suspiciously many rows.
    public var protection: Guard
    /// The number of times a list that moves is walked before the pass fails; 1 or more.
    public let walks: Int
    /// The largest number of pages in one walk, which ends the walk over an endless list; 1 to 1,000,000.
    public let maximumPages: Int
    /// Whether the server has pages of one size only, whatever size is requested.
    ///
    /// Pages then do not overlap, and every list is walked twice. Deletions and insertions at the same places in both
    /// walks can hide an item: request pages of any size where the server has them.
    public let hasFixedPages: Bool
    /// The names of top-level members that only the device has, such as the app's own `starred`.
    ///
    /// Where an item of the server lacks one, the new row keeps it from the row that it replaces. A member that the
    /// server sends wins, `null` included. Kept members are deleted with the row when the item is no longer in the
    /// list. Nothing is kept where the row or the item is not a JSON object.
    ///
    /// ```swift
    /// let notes = PagedList(
    ///     ResourceKey("notes", 1), type: "note", source: source,
    ///     configuration: ListConfiguration(localMembers: ["starred"]))
    /// ```
    public let localMembers: Set<String>

    /// A configuration with the defaults.
    public init(
        pageSize: Int = 100, protection: Guard = Guard(), walks: Int = 3, maximumPages: Int = 100_000,
        hasFixedPages: Bool = false, localMembers: Set<String> = []
    ) {
        precondition((1...Self.largestPage).contains(pageSize), "a page size of \(pageSize)")
        precondition(walks >= 1, "a list is walked at least once")
        precondition((1...1_000_000).contains(maximumPages), "at most \(maximumPages) pages")
        self.pageSize = pageSize
        self.protection = protection
        self.walks = walks
        self.maximumPages = maximumPages
        self.hasFixedPages = hasFixedPages
        self.localMembers = localMembers
    }
}
