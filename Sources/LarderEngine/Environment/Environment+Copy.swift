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
        let directory = StoreDirectory(path: try StoreDirectory.absolute(path))
        let lock = try directory.lock(creating: true)
        if try directory.dataIdentity() != nil { throw EngineError.keyExists }
        try directory.createDataFile { temporary in try self.copyEntries(to: temporary, progress) }
        withExtendedLifetime(lock) {}
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

    private func copyEntries(to path: String, _ progress: (Int) throws -> Void) throws {
        // The source may have grown beyond its first size, and the copy cannot grow.
        let copyOptions = EnvironmentOptions(
            tables: options.tables, mapSize: options.mapSizeCap, mapSizeCap: options.mapSizeCap)
        let writer = try BulkCopy(path: path, options: copyOptions)
        var copied = 0
        try read { view in
            for name in options.tables {
                let start = copied
                copied += try view.withCursor(in: table(name)) { cursor in
                    try writer.append(&cursor, to: name) { try progress(start + $0) }
                }
            }
        }
    }
}
