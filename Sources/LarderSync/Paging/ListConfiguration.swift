/// How lists are reconciled.
public struct ListConfiguration: Hashable, Sendable {
    /// What to do about a page that would delete suspiciously much.
    ///
    /// Suspicious is an empty list in place of one with rows, and a page that would delete more than ``share`` of the rows
    /// and more than ``minimum`` of them. A server that fails politely, with an empty or short answer, looks just so.
    public struct Guard: Hashable, Sendable {
        /// What to do.
        public enum Policy: String, Hashable, Sendable {
            /// Ask for the page again, and where it was short for the one behind it: apply what is said twice.
            case confirm
            /// End the pass with ``ListError/refused(deletions:ofRows:)``.
            case refuse
            /// Apply it.
            case trust
        }

        /// What to do.
        public var policy: Policy
        /// The part of a list's rows that a page may delete without being suspicious; 0 to 1.
        public var share: Double
        /// The number of rows that a page may delete without being suspicious; 0 and above.
        public var minimum: Int

        /// A guard that asks again about more than half of the rows, unless they are ten or fewer.
        public init(_ policy: Policy = .confirm, share: Double = 0.5, minimum: Int = 10) {
            precondition((0...1).contains(share), "a share of \(share) is not 0 to 1")
            precondition(minimum >= 0, "a minimum of \(minimum) rows")
            self.policy = policy
            self.share = share
            self.minimum = minimum
        }

        /// Whether deleting `deletions` of `rows` rows is more than to be expected.
        func isSuspicious(deletions: Int, ofRows rows: Int) -> Bool {
            deletions > minimum && Double(deletions) > share * Double(rows)
        }
    }

    /// The largest page size.
    public static let largestPage = 10_000

    /// Items on one page; 1 to ``largestPage``. The order is checked within pages: the larger they are, the sooner another
    /// one is noticed.
    public let pageSize: Int
    /// What to do about a page that would delete suspiciously much.
    public var protection: Guard
    /// How often a list that moves is walked before the pass fails; 1 and above.
    public let walks: Int
    /// The most pages of one walk, so that a list without end has one; 1 to 1,000,000.
    public let maximumPages: Int

    /// A configuration with the defaults.
    public init(
        pageSize: Int = 100, protection: Guard = Guard(), walks: Int = 3, maximumPages: Int = 100_000
    ) {
        precondition((1...Self.largestPage).contains(pageSize), "a page size of \(pageSize)")
        precondition(walks >= 1, "a list is walked at least once")
        precondition((1...1_000_000).contains(maximumPages), "at most \(maximumPages) pages")
        self.pageSize = pageSize
        self.protection = protection
        self.walks = walks
        self.maximumPages = maximumPages
    }
}
