import LarderEngine
import LarderFormat
import LarderOutbox
import LarderStore

/// Everything that the checks of `doctor` look at; a part that could not be read is nil.
struct DoctorFacts: Sendable {
    /// A part that a check needs.
    enum Part: String, Sendable {
        case files, pages, space, sync, outbox, owners, journal
    }

    /// The reason the store could not be opened, or not be read further.
    struct Failure: Hashable, Sendable {
        let text: String
        let status: ExitStatus
    }

    /// A part with a damaged record.
    struct Unreadable: Hashable, Sendable {
        let part: Part
        let reason: String
    }

    /// The findings of one kind in one table.
    struct Damage: Hashable, Sendable {
        let severity: LarderStore.Finding.Severity
        let table: String
        let kind: String
        let consequence: String
        let remedy: String
        var count = 1
    }

    /// The present time, in milliseconds since 1970-01-01 UTC.
    var now: Int64
    var redactor: Redactor
    var files = DoctorFiles()
    /// Whether another process has the store open.
    var isInUse = false
    /// Whether the pages were looked at.
    var hasPages = false
    var failure: Failure?
    var unreadable: [Unreadable] = []
    var damage: [Damage] = []
    var space: SpaceFacts?
    var filters: [FilterFacts]?
    var damagedFilters: [DamagedFilter] = []
    var writes: WriteFacts?
    var owners: OwnerFacts?
    var journal: JournalFacts?

    /// Facts of nothing yet.
    init(now: Int64, redactor: Redactor) {
        self.now = now
        self.redactor = redactor
    }

    /// Returns whether a part was read.
    func has(_ part: Part) -> Bool {
        switch part {
        case .files: true
        case .pages: hasPages
        case .space: space != nil
        case .sync: filters != nil
        case .outbox: writes != nil
        case .owners: owners != nil
        case .journal: journal != nil
        }
    }
}

/// The sizes of a store, in bytes where nothing else is said.
struct SpaceFacts: Hashable, Sendable {
    var fileSize: Int64 = 0
    var pageSize = 4096
    /// Pages of all tables.
    var usedPages = 0
    /// Pages of the file.
    var pages = 0
    /// The size that a map reaches at most, by default.
    var mapCap = Int64(EnvironmentOptions.defaultMapSizeCap)
    var storedSize: Int64 = 0
    /// The cap of the app, where the command line names it.
    var cap: Int64?
    /// Content that may not be evicted: pinned, with local changes, or not sent yet.
    var heldSize: Int64 = 0
    var garbageSize: Int64 = 0
    var stagingGenerations = 0
    /// Slots for readers that were used at some time since the first open, and all slots.
    var usedReaders = 0
    var maximumReaders = 126
    var evictedResources = 0
}

/// The state of one filter.
struct FilterFacts: Hashable, Sendable {
    /// A member whose snapshot could not be stored.
    struct FailedSnapshot: Hashable, Sendable {
        var resource: ResourceKey
        var reason: String
        var attempts = 1
        /// Whether the same request fails until something changes.
        var isFinal = false
        var retryAt: Int64
    }

    var name: String
    /// The end of its last finished run, in milliseconds since 1970-01-01 UTC.
    var syncedAt: Int64?
    var failures: Int64 = 0
    var lastError: String?
    var nextRunAt: Int64?
    /// The tokens that were rejected in a row.
    var resyncs: Int64 = 0
    var isOverdue = false
    var failed: [FailedSnapshot] = []
}

/// The writes of the outbox.
struct WriteFacts: Hashable, Sendable {
    /// One write.
    struct Write: Hashable, Sendable {
        var id: UUIDBytes
        var state: OutboxDelivery.State = .pending
        var isInDoubt = false
        var createdAt: Int64 = 0
        var lastError: String?
        /// The reason it is not accepted yet.
        var reason: WaitReason = .turn
    }

    var writes: [Write] = []
    var damaged = 0
    /// The identities of the damaged writes, where they are readable.
    var damagedIDs: [UUIDBytes] = []
}

/// The servers and the account that content belongs to, and who is signed in.
struct OwnerFacts: Hashable, Sendable {
    var servers: [ServerContent: String] = [:]
    /// The ends of the waits that these servers requested, in milliseconds since 1970-01-01 UTC.
    var waits: [ServerContent: Int64] = [:]
    /// The account that the content belongs to.
    var account: String?
    /// Nil where the app has no accounts.
    var session: StoredSession?
}

/// The events of the journal.
struct JournalFacts: Hashable, Sendable {
    /// The contents that were dropped because of the cap, and their bytes.
    var evictions = 0
    var evictedSize: Int64 = 0
    var lastEvictionAt: Int64?
    var conflicts = 0
    var lastConflictAt: Int64?
}
