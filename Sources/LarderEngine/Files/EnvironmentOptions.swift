/// The options for opening an environment.
public struct EnvironmentOptions: Hashable, Sendable {
    /// Whether the store may be changed.
    public enum Access: Hashable, Sendable {
        /// Read and write; creates the store when it does not exist.
        case readWrite
        /// Read and write; throws ``EngineError/notFound`` when it does not exist.
        case readWriteExisting
        /// Read only, together with other openers. Needs a lock file that it may write to.
        case readOnly
    }

    /// Whether the store may be changed.
    public var access: Access
    /// The names of the tables to open; missing ones are created. At most 16.
    public var tables: [String]
    /// The initial size of the map, in bytes. This is address space, not disk space.
    public var mapSize: Int
    /// The size beyond which the map never grows, in bytes.
    public var mapSizeCap: Int
    /// The number of reader slots to request. The first opener of all processes decides.
    public var maximumReaders: Int

    /// Whether writes wait until ``Environment/runNextWrite()`` runs them on its caller's thread. A simulation uses
    /// this to decide when each commit happens. All use is on one thread then, and commits of other processes are not
    /// announced.
    package var isStepped = false

    /// The encryption of the values; nil to store them plain. Options that differ in it alone are equal.
    package var cipher: (any ValueCipher)? {
        get { coding.cipher }
        set { coding.cipher = newValue }
    }

    /// The decompression of the values; nil where none is compressed. Options that differ in it alone are equal.
    package var decompressor: (any ValueDecompressor)? {
        get { coding.decompressor }
        set { coding.decompressor = newValue }
    }

    private var coding = ValueCoding()

    /// The size of a file, in bytes, up to which all pages are checked by an open that no clean close vouches for, and
    /// before the first write. Of a larger file these checks read branch pages and the free list, about a hundredth of
    /// it.
    public var fullCheckLimit: UInt64 = 64 << 20

    /// The time to wait while another program holds the lock of the store's directory, for example to open or compact
    /// it.
    public var lockTimeout = defaultLockTimeout

    /// Longer than the compaction of a store of several gigabytes lasts.
    public static let defaultLockTimeout = Duration.seconds(60)
    #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
    /// The default where a process has little address space: 256 MiB, and more as the file grows.
    public static let defaultMapSize = 256 << 20
    /// The default where a process has little address space: 4 GiB.
    public static let defaultMapSizeCap = 4 << 30
    #else
    /// The default where address space is free: 64 GiB at once, so that the map never has to move.
    public static let defaultMapSize = 64 << 30
    /// The default where address space is free: 64 GiB.
    public static let defaultMapSizeCap = 64 << 30
    #endif

    /// Options with the defaults of a 64-bit machine.
    public init(
        access: Access = .readWrite, tables: [String], mapSize: Int = defaultMapSize,
        mapSizeCap: Int = defaultMapSizeCap, maximumReaders: Int = 126
    ) {
        precondition(tables.count <= 16, "more than 16 tables slow every transaction")
        precondition(mapSize > 0 && mapSize <= mapSizeCap, "the map starts above its cap")
        self.access = access
        self.tables = tables
        self.mapSize = mapSize
        self.mapSizeCap = mapSizeCap
        self.maximumReaders = maximumReaders
    }

    var isReadOnly: Bool { access == .readOnly }
}

/// What options are compared without: it belongs to the content of the file, which says whether it is needed.
private struct ValueCoding: Hashable, Sendable {
    var cipher: (any ValueCipher)?
    var decompressor: (any ValueDecompressor)?

    static func == (left: Self, right: Self) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}

/// The guarantee of a commit.
public enum Durability: Hashable, Sendable {
    /// The commit is on the medium when it returns.
    case full
    /// A power cut may lose the last commit, never consistency. LMDB: `MDB_NOMETASYNC`.
    case relaxed
}
