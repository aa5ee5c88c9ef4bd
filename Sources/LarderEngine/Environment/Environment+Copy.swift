#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

extension Environment {
    /// Copies the last commit into a new store in the directory at `path`, which must not contain a store.
    ///
    /// Entries are appended in key order, so the copy is packed and has no free pages. It is synced before it is
    /// renamed into place. One read view is held throughout. Blocks.
    ///
    /// - Parameter progress: called with the number of entries copied so far.
    /// - Throws: ``EngineError/keyExists`` when a store exists there; ``EngineError/diskFull``; what `progress` throws.
    public func copy(to path: String, progress: (Int) throws -> Void = { _ in }) throws {
        try copy(to: path, including: { _, _ in true }, progress: progress)
    }

    /// Decides for a table and a key whether a copy has the entry.
    package typealias EntryFilter = (_ table: String, _ key: RawSpan) -> Bool

    /// Stores an entry in a copy.
    package typealias AddedEntry = (_ table: String, _ key: [UInt8], _ value: [UInt8]) throws -> Void

    /// Changes a copy in its last commit, given the bytes of keys and plain values that were copied of each table.
    package typealias CopyChange = (inout WriteTransaction, [String: Table], _ sizes: [String: Int]) throws -> Void

    /// The form of the values in a copy.
    package enum CopiedValues {
        /// As they are stored: sealed values stay sealed with the same keys, which are copied with them.
        case asStored
        /// Sealed anew with a cipher of the copy's own, or not sealed; compressed values stay compressed.
        case anew((any ValueCipher)?)
    }

    /// Copies a part of the last commit as ``copy(to:progress:)`` copies all of it, adds entries, and changes it before it
    /// is renamed into place.
    ///
    /// - Parameter adds: passes each entry that the copy has beyond those to its parameter, in any order; they are stored
    ///   in commits of bounded size. What it reads of the source is of the same commit.
    /// - Throws: as ``copy(to:progress:)``; what `adds` and `change` throw; ``EngineError/lockedElsewhere(name:seconds:)``.
    package func copy(
        to path: String, values: CopiedValues = .asStored, including includes: EntryFilter,
        adding adds: (AddedEntry) throws -> Void = { _ in },
        change: CopyChange = { _, _, _ in }, lockTimeout: Duration = EnvironmentOptions.defaultLockTimeout,
        progress: (Int) throws -> Void = { _ in }
    ) throws {
        let directory = StoreDirectory(path: try StoreDirectory.absolute(path))
        let lock = try directory.lock(creating: true, LockWait(limit: lockTimeout))
        defer { withExtendedLifetime(lock) {} }
        if try directory.dataIdentity() != nil { throw EngineError.keyExists }
        try directory.createDataFile { temporary in
            try copyEntries(to: temporary, values, includes, adds, change, progress)
        }
    }

    /// Replaces the data file of the store at `path` by a packed copy that `verify` has accepted.
    ///
    /// No process may have the store open, this one included. The old file stays in place until the copy is complete,
    /// verified and synced. Blocks.
    ///
    /// - Throws: ``EngineError/heldByOthers``; the errors of ``open(path:options:initialize:inspect:)`` and
    ///   ``copy(to:progress:)``; what `inspect` and `verify` throw. The store is then unchanged.
    public static func compact(
        path: String, tables: [String], lockTimeout: Duration = EnvironmentOptions.defaultLockTimeout,
        progress: (Int) throws -> Void = { _ in }, inspect: Inspection = { _, _ in true },
        verify: (_ copyPath: String) throws -> Void
    ) throws {
        let directory = StoreDirectory(path: try StoreDirectory.absolute(path))
        let lock = try directory.lock(LockWait(limit: lockTimeout))
        guard let identity = try directory.dataIdentity() else { throw EngineError.notFound }
        guard case .none = try EnvironmentRegistry.shared.find(identity, options: EnvironmentOptions(tables: [])) else {
            throw EngineError.heldByOthers
        }
        let options = EnvironmentOptions(access: .readOnly, tables: tables)
        let guardFile = try verifiedGuardFile(directory, options, isReadOnly: false, inspect)
        guard try guardFile.isHeldExclusively(in: directory) else { throw EngineError.heldByOthers }
        directory.removeLeftoverTemporaries()
        let (temporary, name) = try directory.makeTemporary("compact-\(getpid())")
        defer { directory.removeTemporary(name) }
        let source = try attach(
            directory, identity, options, guardFile, validate(directory, guardFile, options), inspect)
        do {
            if let problem = try source.pageProblems().first { throw problem.error }
            try source.copy(to: temporary.path, progress: progress)
        } catch {
            source.closeForMaintenance()
            throw error
        }
        source.closeForMaintenance()
        try verify(temporary.path)
        try directory.install(temporary.dataPath)
        try guardFile.markClean(data: directory.openFile(named: StoreDirectory.dataName, O_RDONLY), in: directory)
        withExtendedLifetime((lock, guardFile)) {}
    }

    /// Fills a new data file in the empty directory at `path`.
    func copyEntries(
        to path: String, _ values: CopiedValues, _ includes: EntryFilter, _ adds: (AddedEntry) throws -> Void,
        _ change: CopyChange, _ progress: (Int) throws -> Void
    ) throws {
        // The source may have grown beyond its first size, and the copy cannot grow.
        var copyOptions = EnvironmentOptions(
            tables: options.tables, mapSize: options.mapSizeCap, mapSizeCap: options.mapSizeCap)
        if case .anew(let cipher) = values { copyOptions.cipher = cipher }
        let writer = try BulkCopy(path: path, options: copyOptions)
        var copied = 0
        var sizes: [String: Int] = [:]
        try read { view in
            let view = if case .asStored = values { view.stored } else { view }
            for name in options.tables {
                let start = copied
                let appended = try view.withCursor(in: table(name)) { cursor in
                    try writer.append(&cursor, to: name, where: { includes(name, $0) }) { try progress(start + $0) }
                }
                copied += appended.count
                sizes[name] = appended.byteCount
            }
            let start = copied
            try writer.add(adds) { try progress(start + $0) }
            try writer.change { transaction, tables in try change(&transaction, tables, sizes) }
        }
    }
}
