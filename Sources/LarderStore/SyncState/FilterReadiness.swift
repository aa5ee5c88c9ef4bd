internal import LarderFormat

/// The readiness of one filter's content for offline use, in one view of the store.
///
/// ```swift
/// let readiness = try store.read { view in try view.readiness(of: "translations:19,20") }
/// if let readiness {  // nil before the first run of the filter has begun
///     print(readiness.isComplete ? "readable offline" : "\(readiness.remainingResourceCount) still to fetch")
///     if readiness.isOverdue(now: now) { print("not synced for a week") }
/// }
/// ```
public struct FilterReadiness: Hashable, Sendable {
    /// The default age beyond which syncing is overdue: 7 days, in milliseconds.
    public static let defaultOverdueAge: Int64 = 7 * 24 * 60 * 60 * 1000

    /// The canonical text of the filter.
    public let filter: String
    /// The server sequence of its content: the bound of its last finished run. Nil before the first.
    ///
    /// Some members may be newer, see ``ResourceReadiness/appliedSequence``; none is older.
    public let asOfSequence: Int64?
    /// When its last finished run ended, in milliseconds since 1970-01-01 UTC; nil before the first.
    ///
    /// It stays when the token is rejected: the rows of that run are readable until the bootstrap has replaced them.
    public let syncedAt: Int64?
    /// Whether a bootstrap has begun and not finished.
    public let isBootstrapping: Bool
    /// When the last run began, in milliseconds since 1970-01-01 UTC.
    public let lastRunAt: Int64?
    /// When the next run is due to begin by itself, in milliseconds since 1970-01-01 UTC.
    public let nextRunAt: Int64?
    /// The runs that failed since the last one that finished.
    public let failures: Int64
    /// The reason the last run failed, one line without content; nil once a run has finished.
    public let lastError: String?
    /// The resources it holds, in the order of group and number.
    public let members: [ResourceReadiness]
    /// The number of members still to be fetched: those without a snapshot, and those that the bootstrap under way has
    /// listed and not brought in.
    ///
    /// Resources on later pages of a bootstrap are not known yet, and not counted.
    public let remainingResourceCount: Int
    /// The rows of those members, estimated by the rows that they have; nil when one has none.
    public let remainingRowCount: Int?
    /// The stored bytes of those members, estimated likewise.
    public let remainingByteCount: Int?

    /// Whether everything that the filter requests can be read without the server.
    ///
    /// A run has finished once, and every member is complete; one that the server has hidden since does not count.
    /// It stays true while a bootstrap after a rejected token replaces the members one by one, until that lists a new
    /// one.
    public var isComplete: Bool {
        syncedAt != nil && members.allSatisfy { $0.isComplete || $0.state == .hidden }
    }

    /// Milliseconds since its last finished run ended; nil before the first, zero when the clock was moved back since.
    public func age(now: Int64) -> Int64? {
        syncedAt.map { synced in
            let (age, isTooLarge) = now.subtractingReportingOverflow(synced)
            // Only a time before 1970 subtracted from one after it grows beyond what fits.
            return isTooLarge ? (now > synced ? .max : 0) : max(0, age)
        }
    }

    /// Whether its last finished run ended more than `age` milliseconds ago.
    ///
    /// False before the first: content that was never synced is not overdue, only incomplete.
    public func isOverdue(now: Int64, after age: Int64 = defaultOverdueAge) -> Bool {
        self.age(now: now).map { $0 > age } ?? false
    }
}

extension FilterReadiness {
    /// One member as it is stored: its readiness, and whether it still has to be fetched.
    struct Member {
        let readiness: ResourceReadiness
        let isRemaining: Bool

        init(_ key: ResourceKey, _ member: MemberRecord, _ resource: ResourceRecord, in filter: FilterState) {
            let isFinished = member.finishedInRun == filter.run
            readiness = ResourceReadiness(
                key, resource, isFinishedInRun: filter.isBootstrapping ? isFinished : nil)
            let isAwaited =
                filter.isBootstrapping && member.listedInRun == filter.run && !isFinished && resource.state != .hidden
            isRemaining = isAwaited || resource.state == .empty
        }
    }

    init(_ record: FilterState, _ stored: [Member]) {
        filter = record.filter
        asOfSequence = record.lastUntilSequence
        syncedAt = record.tokenUpdatedAt
        isBootstrapping = record.isBootstrapping
        lastRunAt = record.lastRunAt
        nextRunAt = record.nextRunAt
        failures = record.failures
        lastError = record.lastError
        members = stored.map(\.readiness)
        let remaining = stored.filter(\.isRemaining).map(\.readiness)
        remainingResourceCount = remaining.count
        let isKnown = remaining.allSatisfy(\.isComplete)
        remainingRowCount = isKnown ? Self.sum(remaining.map(\.rowCount)) : nil
        remainingByteCount = isKnown ? Self.sum(remaining.map(\.byteCount)) : nil
    }

    /// The readiness of a list, which no filter holds: its only member, and when a pass over it last finished.
    init(list: ResourceReadiness, named name: String) {
        filter = name
        asOfSequence = nil
        syncedAt = list.syncedAt
        isBootstrapping = false
        lastRunAt = nil
        nextRunAt = nil
        failures = 0
        lastError = nil
        members = [list]
        remainingResourceCount = list.syncedAt == nil ? 1 : 0
        remainingRowCount = list.syncedAt == nil ? nil : 0
        remainingByteCount = remainingRowCount
    }

    /// The sum, at most the largest number: the counts come from a file.
    private static func sum(_ numbers: [Int]) -> Int {
        numbers.reduce(0) { sum, number in
            let (next, isTooLarge) = sum.addingReportingOverflow(number)
            return isTooLarge ? .max : next
        }
    }
}
