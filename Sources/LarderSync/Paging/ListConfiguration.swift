/// How lists are reconciled.
public struct ListConfiguration: Hashable, Sendable {
    /// What to do about a pass that would delete suspiciously much.
    ///
    /// Suspicious is an empty list in place of one with rows, and a pass that would delete more than ``share`` of the rows, however
    /// few they are. A server that fails politely, with an empty or short answer, looks just so.
    public struct Guard: Hashable, Sendable {
        /// What to do.
        public enum Policy: String, Hashable, Sendable {
            /// End the pass with ``ListError/unconfirmed(deletions:ofRows:)``, and delete in a later one, ``pause`` after
            /// it or later, the rows that are missing there too. What was missing is remembered as long as the store is
            /// open, and forgotten as soon as a pass between is answered any item and does not miss the same rows.
            ///
            /// A server that is wrong in both passes, and answers nothing right between, is believed: it cannot be told
            /// from one whose list is empty.
            case confirm
            /// End the pass with ``ListError/refused(deletions:ofRows:)``, and delete nothing.
            case refuse
            /// Delete as soon as one walk has seen the whole list, few rows or many. A server that says too early that nothing follows
            /// loses live rows until the next pass.
            case trust
        }

        /// What to do.
        public var policy: Policy
        /// The part of a list's rows that a pass may delete without being suspicious; 0 to 1.
        public var share: Double
        /// The time after which a later pass confirms what was suspicious; zero and above.
        public var pause: Duration

        /// A guard that waits for a later pass, a minute or more away, to delete more than half of the rows.
        public init(
            _ policy: Policy = .confirm, share: Double = 0.5, pause: Duration = .seconds(60)
        ) {
            precondition((0...1).contains(share), "a share of \(share) is not 0 to 1")
            precondition(pause >= .zero, "a pause of \(pause)")
            self.policy = policy
            self.share = share
            self.pause = pause
        }

        /// Whether deleting `deletions` of `rows` rows is more than to be expected.
        func isSuspicious(deletions: Int, ofRows rows: Int) -> Bool {
            deletions > 0 && (deletions == rows || Double(deletions) > share * Double(rows))
        }
    }

    /// The largest page size.
    public static let largestPage = 10_000

    /// Items on one page; 1 to ``largestPage``. A server may answer fewer: what it answers is what the walk goes by.
    public let pageSize: Int
    /// What to do about a page that would delete suspiciously much.
    public var protection: Guard
    /// How often a list that moves is walked before the pass fails; 1 and above.
    public let walks: Int
    /// The most pages of one walk, so that a list without end has one; 1 to 1,000,000.
    public let maximumPages: Int
    /// Whether the server has pages of one size only, whatever is asked for.
    ///
    /// Pages do not overlap then, and every list is walked twice. Deletions and insertions that come at the same places in
    /// both walks can hide an item: ask for pages of any size where the server has them.
    public let hasFixedPages: Bool
    /// The names of top-level members that only the device has, such as a `starred` of the app's own: where an item of the server lacks
    /// one, its row keeps that of the row that it replaces.
    ///
    /// A member that the server sends wins, `null` among them. What is kept goes with the row when the item is gone from the list.
    /// Nothing is kept where the row or the item is no JSON object.
    ///
    /// ```swift
    /// let notes = PagedList(
    ///     ResourceKey("notes", 1), type: "note", source: source, configuration: ListConfiguration(keptMembers: ["starred"]))
    /// ```
    public let keptMembers: Set<String>

    /// A configuration with the defaults.
    public init(
        pageSize: Int = 100, protection: Guard = Guard(), walks: Int = 3, maximumPages: Int = 100_000,
        hasFixedPages: Bool = false, keptMembers: Set<String> = []
    ) {
        precondition((1...Self.largestPage).contains(pageSize), "a page size of \(pageSize)")
        precondition(walks >= 1, "a list is walked at least once")
        precondition((1...1_000_000).contains(maximumPages), "at most \(maximumPages) pages")
        self.pageSize = pageSize
        self.protection = protection
        self.walks = walks
        self.maximumPages = maximumPages
        self.hasFixedPages = hasFixedPages
        self.keptMembers = keptMembers
    }
}
