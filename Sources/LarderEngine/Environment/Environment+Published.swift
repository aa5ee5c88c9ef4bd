private import CLMDB

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// Published copies: data files that are replaced as a whole and never written, so that no lock is needed to read one.
extension Environment {
    /// Writes a packed copy of the last commit into the directory at `path`, and renames it into place.
    ///
    /// A file that is there already is replaced when `validate` accepts it; processes that read it keep the old file.
    /// The directory, which is created when it does not exist, is locked meanwhile. Holds one read view while it
    /// copies. Blocks.
    ///
    /// - Parameters:
    ///   - record: the table and the key of the record that identifies a file.
    ///   - validate: throws to keep the file that is there. Receives the record's value, or nil when the file has none,
    ///     and whether a lock file is beside it, as beside every file that was opened for writing.
    ///   - change: changes the copy before it is renamed.
    ///   - progress: called with the number of entries copied so far.
    /// - Throws: ``EngineError/diskFull``, ``EngineError/lockedElsewhere(name:seconds:)``; the errors of a damaged file
    ///   that is there; ``EngineError/untrustedDirectory(_:)``, ``EngineError/untrustedFile(name:problem:)``; what the
    ///   closures throw.
    package func publish(
        to path: String, record: (table: String, key: [UInt8]),
        validate: (_ record: [UInt8]?, _ hasLockFile: Bool) throws -> Void, change: CopyChange,
        progress: (Int) throws -> Void
    ) throws {
        let directory = StoreDirectory(path: try StoreDirectory.absolute(path))
        let lock = try directory.lock(creating: true)
        defer { withExtendedLifetime(lock) {} }
        if try directory.dataIdentity() != nil {
            let hasLockFile =
                try directory.checkFile(named: StoreDirectory.lockName)
                || directory.checkFile(named: GuardFile.name)
            try validate(try Self.record(record.key, inTable: record.table, of: directory), hasLockFile)
        }
        try directory.createDataFile { temporary in
            try copyEntries(to: temporary, .asStored, { _, _ in true }, { _ in }, change, progress)
        }
    }

    /// The number of files that are checked, each replaced before liblmdb has it open, until opening fails.
    private static let openingTries = 8

    /// Opens the published copy in the directory at `path` for reading, without any lock.
    ///
    /// The pages are checked as those of a store after a crash. The caller has to know from the content, which
    /// `inspect` reads, that no process writes to the file. A copy that is replaced while it is open stays readable.
    /// Creates nothing, so the medium may be read-only. Each call opens the file once more, and has its own
    /// ``close(within:)``.
    ///
    /// - Throws: ``EngineError/notFound``, ``EngineError/untrustedFile(name:problem:)``,
    ///   ``EngineError/missingTable(name:)``; the errors of a damaged file; ``EngineError/replaced`` when a newer copy
    ///   replaced each one that was being opened; what `inspect` throws.
    package static func openPublished(
        path: String, tables: [String], cipher: (any ValueCipher)? = nil,
        decompressor: (any ValueDecompressor)? = nil,
        inspect: (ReadTransaction, [String: Table]) throws -> Void
    ) throws -> Environment {
        let directory = StoreDirectory(path: try StoreDirectory.absolute(path))
        _ = try FileSystemCheck.check(directory.path)
        for _ in 0..<openingTries {
            let data = try directory.openPublishedFile()
            let (identity, size) = try data.identity()
            let pages = try MetaPages(data)
            try pages.validate(data, isThorough: true)
            // The map is as large as the file, which never grows. A copy of it may need more pages than it has.
            let mapSize = Int(clamping: max(size, (pages.newest.lastPage + 1) * pages.pageSize))
            var options = EnvironmentOptions(
                access: .readOnly, tables: tables, mapSize: mapSize,
                mapSizeCap: max(mapSize, EnvironmentOptions.defaultMapSizeCap))
            options.cipher = cipher
            options.decompressor = decompressor
            let hasCheckedLeaves = try checkPages(
                pages.newest, pageSize: pages.pageSize, data, limit: options.fullCheckLimit)
            let handle = unsafe try openHandle(directory.path, options, isExclusive: false, usesLockFile: false)
            do {
                // liblmdb opened the path, where another file may be by now.
                var number: mdb_filehandle_t = -1
                try check(unsafe mdb_env_get_fd(handle, &number), "mdb_env_get_fd")
                if try FileDescriptor.identity(of: number).file == identity {
                    return unsafe try published(
                        handle, directory, identity, options, guarding: hasCheckedLeaves ? nil : data, inspect)
                }
            } catch {
                unsafe mdb_env_close(handle)
                throw error
            }
            unsafe mdb_env_close(handle)
        }
        throw EngineError.replaced
    }

    private static func published(
        _ handle: OpaquePointer, _ directory: StoreDirectory, _ identity: FileIdentity, _ options: EnvironmentOptions,
        guarding data: FileDescriptor?, _ inspect: (ReadTransaction, [String: Table]) throws -> Void
    ) throws -> Environment {
        let (tables, _, pages) = unsafe try inspectedTables(handle, options, guarding: data) { transaction, tables in
            try inspect(transaction, tables)
            return false
        }
        if let missing = options.tables.first(where: { tables[$0] == nil }) {
            throw EngineError.missingTable(name: missing)
        }
        return unsafe try Environment(
            handle: handle, path: directory.path, options: options, tables: tables, identity: identity, guardFile: nil,
            pages: pages, wasOpenedAlone: false)
    }

    /// Whether another file has the path of the data file now; false where none has.
    package var isReplaced: Bool {
        guard let present = try? FileIdentity.of(path + "/" + StoreDirectory.dataName) else { return false }
        return present != identity
    }

    /// Whether another file or none has the path of the data file now.
    package var isGone: Bool { (try? FileIdentity.of(path + "/" + StoreDirectory.dataName)) != identity }

    /// Whether anything has the path of the data file of the store at `path`; an open checks what it is.
    ///
    /// - Throws: ``EngineError/accessDenied(errno:)``, or another error of the system.
    package static func exists(at path: String) throws(EngineError) -> Bool {
        let directory = StoreDirectory(path: try StoreDirectory.absolute(path))
        return try FileIdentity.status(of: directory.dataPath, followsLinks: false) != nil
    }
}
