public import LarderEngine
public import LarderFormat

/// The options of opening a store.
///
/// ```swift
/// let options = StoreOptions(sizeCap: 200 << 20, collectionAge: .seconds(30 * 86_400))
/// let store = try Store.open(at: path, options: options)  // holds at most 200 MiB of keys and values
/// try store.close()
/// ```
public struct StoreOptions: Hashable, Sendable {
    /// Whether the store may be changed.
    public var access: EnvironmentOptions.Access
    /// The map's size at first, in bytes of address space.
    public var mapSize: Int
    /// The size beyond which the store never grows, in bytes.
    public var mapSizeCap: Int
    /// The most bytes of keys and values that may be stored after a commit, the store's own records in `meta` not
    /// counted; nil for any number. The file of words of a search counts, and uses up to half of it.
    ///
    /// Space is freed by removing what was replaced, then by evicting what was not used for long and is not pinned. A
    /// write that still does not fit fails with ``StoreError/full(_:)``. Every open of the file has to name the same
    /// cap, which is not stored in the file.
    public var sizeCap: Int64?
    /// The time for which the stored answer of a query is kept after the server last sent or confirmed it, in whole
    /// seconds; nil for ever. ``Store/sweep(now:)`` removes older answers; their rows stay.
    ///
    /// The option is not stored in the file: a sweep uses that of the open that it is called on.
    public var collectionAge: Duration?
    /// The number of reader slots to request.
    public var maximumReaders: Int
    /// The time that opening, closing and clearing wait while another program holds the lock of the store's directory.
    ///
    /// The wait blocks its thread. Opening and clearing then fail with `EngineError.lockedElsewhere(name:seconds:)`;
    /// compacting a store of several gigabytes in another process lasts about the default, a minute.
    public var lockTimeout = EnvironmentOptions.defaultLockTimeout

    /// What an open for writing does when the file is damaged, so that it cannot be opened.
    public var recovery = DamageRecovery.refuse

    /// The encryption of the store; nil for a plain one.
    ///
    /// A store is encrypted or not from its creation on: ``StoreError/encryption(_:)`` says which of the two a file is.
    public var encryption: StoreEncryption?

    /// The compression of rows; nil where no row is to be compressed.
    ///
    /// A store that once had it needs it in every open: ``StoreError/compressionMissing``. Of several opens of a file in
    /// one process, the first one's groups count.
    public var compression: StoreCompression?

    /// Whether writes wait until ``Store/runNextWrite()`` runs them on its caller's thread, which must be the only one
    /// to use the store.
    package var isStepped = false

    /// The size of the file up to which all pages are checked before the first write, in bytes.
    package var fullCheckLimit = EnvironmentOptions(tables: []).fullCheckLimit

    /// The header fields that are never stored, neither with a write of the outbox nor with a response.
    ///
    /// They are not stored in the file. Of several opens of a file in one process, the first one's count.
    public var credentialFields = CredentialFields()

    /// The default of ``collectionAge``: half a year, long enough for a device that was not used for months.
    public static let defaultCollectionAge = Duration.seconds(182 * 86_400)

    /// Options with the defaults of a 64-bit machine.
    public init(
        access: EnvironmentOptions.Access = .readWrite, mapSize: Int = EnvironmentOptions.defaultMapSize,
        mapSizeCap: Int = EnvironmentOptions.defaultMapSizeCap, sizeCap: Int64? = nil,
        collectionAge: Duration? = Self.defaultCollectionAge, maximumReaders: Int = 126
    ) {
        if let collectionAge { precondition(collectionAge > .zero, "an age of \(collectionAge)") }
        if let sizeCap { precondition(sizeCap > 0, "a cap of \(sizeCap) bytes") }
        self.access = access
        self.mapSize = mapSize
        self.mapSizeCap = mapSizeCap
        self.sizeCap = sizeCap
        self.collectionAge = collectionAge
        self.maximumReaders = maximumReaders
    }

    func environment(_ cipher: StoreCipher?, _ compression: RowCompression? = nil) -> EnvironmentOptions {
        var options = EnvironmentOptions(
            access: access, tables: Tables.names, mapSize: mapSize, mapSizeCap: mapSizeCap,
            maximumReaders: maximumReaders)
        options.lockTimeout = lockTimeout
        options.isStepped = isStepped
        options.fullCheckLimit = fullCheckLimit
        options.cipher = cipher
        options.decompressor = compression
        return options
    }
}

/// What an open for writing does when the file is damaged, so that it cannot be opened.
///
/// ```swift
/// var options = StoreOptions()
/// options.recovery = .salvage
/// let store = try Store.open(at: path, options: options)
/// if let recovery = store.recovery { print("replaced:", recovery.cause) }
/// ```
public enum DamageRecovery: Hashable, Sendable {
    /// It fails with the error that describes the damage, and changes nothing.
    case refuse
    /// It puts a new file in the place of the damaged one, with everything that can still be read, as
    /// ``Store/salvage(at:to:host:encryption:compression:lockTimeout:progress:)`` makes it.
    ///
    /// The damaged file stays in the directory as `damaged.mdb`, until the next salvage, or until the content is removed.
    /// ``Store/recovery`` says what was saved. Only a file that `guard.lock` shows to be a store is replaced.
    case salvage
}
