public import LarderEngine
public import LarderFormat

/// The content and the size of a store, as of one commit.
public struct StoreStatistics: Hashable, Sendable {
    /// The numbers of resources by state.
    public struct ResourceCounts: Hashable, Sendable {
        /// The resources whose rows readers see.
        public var ready = 0
        /// The resources that the server deleted or hid.
        public var hidden = 0
        /// The resources whose rows were evicted to free space.
        public var evicted = 0
        /// The known resources that have no snapshot.
        public var empty = 0

        /// The number of all resources.
        public var total: Int { ready + hidden + evicted + empty }
    }

    /// The numbers of generations by use.
    public struct GenerationCounts: Hashable, Sendable {
        /// The generations that resources point at.
        public var live = 0
        /// The generations that are being written.
        public var staging = 0
        /// The generations whose rows wait to be removed.
        public var garbage = 0
        /// Rows that wait to be removed.
        public var garbageRows: Int64 = 0
        /// Bytes of their keys and values.
        public var garbageBytes: Int64 = 0
    }

    /// Slots in the table of readers, of all processes.
    public struct ReaderSlots: Hashable, Sendable {
        /// Slots used at some time since the first open.
        public let used: Int
        /// The number of slots.
        public let maximum: Int
    }

    /// The identity of the store, generated when the store was made.
    public let storeID: UUIDBytes
    /// The describing version of the format that the store was made in, such as `0.9`.
    public let formatVersion: String
    /// The name and version of the software that made it.
    public let createdBy: String
    /// The number of the commit these figures are of.
    public let lastCommit: UInt64
    /// Size of the data file, in bytes.
    public let fileSize: Int64
    /// Bytes in a page.
    public let pageSize: Int
    /// Pages of all tables.
    public let usedPages: Int
    /// The highest page of the file in use; pages below it may be free.
    public let lastPage: Int
    /// The map's size, in bytes of address space.
    public let mapSize: Int
    /// Bytes of all keys and values of every table but `meta`.
    public let storedSize: Int64
    /// Entries and pages by the name of the table.
    public let tables: [String: TableStatistics]
    /// Resources by state.
    public let resources: ResourceCounts
    /// Rows that readers see.
    public let rows: Int64
    /// Generations by state.
    public let generations: GenerationCounts
    /// Filters with a sync state.
    public let filters: Int
    /// Memberships of resources in filters.
    public let members: Int
    /// Entries of the outbox, dead letters included.
    public let outboxEntries: Int
    /// Lanes that have entries.
    public let outboxLanes: Int
    /// When the oldest entry was enqueued, in milliseconds since 1970-01-01 UTC.
    public let oldestOutboxEntryAt: Int64?
    /// Records in the journal.
    public let journalRecords: Int
    /// Slots in the table of readers.
    public let readers: ReaderSlots
}

extension StoreStatistics: CustomStringConvertible {
    /// The main figures in one line, for display.
    public var description: String {
        let waiting = outboxEntries == 0 ? "no writes wait" : "\(outboxEntries) writes wait or were refused"
        return "\(rows) rows in \(resources.ready) of \(resources.total) resources, \(filters) filters; \(waiting); "
            + "\(storedSize) bytes of keys and values in a file of \(fileSize) bytes; commit \(lastCommit)"
    }
}
