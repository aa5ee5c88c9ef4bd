internal import LarderEngine
internal import LarderFormat

/// The size of a data file before and after a compaction.
public struct CompactionSummary: Hashable, Sendable {
    /// Its size before, in bytes.
    public let sizeBefore: Int64
    /// Its size now, in bytes.
    public let sizeAfter: Int64
}

extension Store {
    /// Copies the last commit into a new store in the directory at `path`, which must not hold one.
    ///
    /// Works while others read and write, in this and other processes; the copy is packed. Holds one read view
    /// throughout. The copy of an encrypted store is encrypted with the same keys; ``copy(to:encryptedWith:progress:)``
    /// changes them. Blocks.
    ///
    /// - Parameters:
    ///   - path: the directory of the copy, which is created when it does not exist.
    ///   - progress: receives the number of entries copied so far; an error that it throws ends the copy.
    /// - Throws: `EngineError.keyExists` when a store is there; `EngineError.diskFull`, `EngineError.closed`.
    public func copy(to path: String, progress: (Int) throws -> Void = { _ in }) throws {
        try checkOpen()
        try environment.copy(to: path, progress: progress)
        try Self.completeFiles(at: path)
    }

    /// Opens a new copy once, so that it has all its files and can also be opened for reading only.
    static func completeFiles(at path: String) throws {
        let options = StoreOptions(access: .readWriteExisting)
        try Environment.open(path: path, options: options.environment(nil)).close()
    }

    /// Replaces the data file of the store at `path` by a packed copy that was verified.
    ///
    /// No process may have the store open, this one included. In any case the old file stays in place until the copy is
    /// complete, verified and synced. Minor findings do not prevent it, and a wrong stored size is corrected. Blocks.
    ///
    /// - Parameters:
    ///   - path: the directory of the store.
    ///   - host: the services with which the copy is opened to verify it.
    ///   - encryption: that of the store, for the verification; nil for a plain one.
    ///   - compression: that of the store, for the verification; nil where it has no compressed rows.
    ///   - lockTimeout: the time to wait for a lock of the store that something else holds.
    ///   - progress: receives the number of entries copied so far; an error that it throws leaves the file unchanged.
    /// - Throws: `EngineError.heldByOthers`; ``StoreError/verificationFailed(findings:first:)`` when content is
    ///   damaged; ``StoreError/readOnlyFormat``; the errors of ``open(at:options:host:)``.
    public static func compact(
        at path: String, host: HostServices, encryption: StoreEncryption? = nil, compression: StoreCompression? = nil,
        lockTimeout: Duration = StoreOptions().lockTimeout,
        progress: (Int) throws -> Void = { _ in }
    ) throws -> CompactionSummary {
        let sizeBefore = try fileSize(at: path, lockTimeout)
        var sizeAfter: Int64 = 0
        do {
            try Environment.compact(
                path: path, tables: Tables.names, lockTimeout: lockTimeout, progress: progress, inspect: checkWritable,
                verify: { copyPath in sizeAfter = try verifyCopy(at: copyPath, host: host, encryption, compression) })
        } catch EngineError.openWithOtherOptions {
            throw EngineError.heldByOthers
        }
        return CompactionSummary(sizeBefore: sizeBefore, sizeAfter: sizeAfter)
    }

    /// Throws unless this version may write the file.
    private static func checkWritable(_ transaction: ReadTransaction, _ tables: [String: Table]) throws -> Bool {
        if try readFormat(in: transaction, tables) == .readOnly { throw StoreError.readOnlyFormat }
        return true
    }

    private static func fileSize(at path: String, _ lockTimeout: Duration) throws -> Int64 {
        var options = StoreOptions(access: .readWriteExisting)
        options.lockTimeout = lockTimeout
        let environment: Environment
        do {
            environment = try Environment.open(path: path, options: options.environment(nil), inspect: checkWritable)
        } catch EngineError.openWithOtherOptions {
            throw EngineError.heldByOthers
        }
        let size = Result { try environment.info().fileSize }
        try environment.close()
        return Int64(clamping: try size.get())
    }

    /// Returns the size of the copy; throws unless it is whole and may be written by this version.
    private static func verifyCopy(
        at path: String, host: HostServices, _ encryption: StoreEncryption?, _ compression: StoreCompression?
    ) throws -> Int64 {
        // A read-only open needs files that the copy does not have yet. Nothing is written.
        let options = StoreOptions(access: .readWriteExisting)
        let cipher = encryption.map { StoreCipher($0) }
        let compression = compression.map { RowCompression($0) }
        let environment = try Environment.open(
            path: path, options: options.environment(cipher, compression),
            inspect: { transaction, tables in
                try loadKeys(in: transaction, tables, cipher)
                try checkCompression(in: transaction, tables, compression)
                return try checkWritable(transaction, tables)
            })
        let outcome = Result { () throws -> Int64 in
            // Verifying reads the records themselves, so no layer has anything to keep.
            let copy = try Store(environment: environment, host: host, isReadOnly: true, parts: [])
            var first: Finding?
            let summary = try copy.verify { finding in
                if finding.severity == .damage { first = first ?? finding }
            }
            if let first { throw StoreError.verificationFailed(findings: summary.findings, first: first) }
            if summary.findings > 0 { try correctStoredSize(in: environment) }
            return Int64(clamping: try environment.info().fileSize)
        }
        try environment.close()
        return try outcome.get()
    }

    /// Replaces the stored size in the counters by the size of the records. Commits change it by differences only, so a
    /// wrong one would stay.
    static func correctStoredSize(in environment: Environment) throws {
        let tables = Tables(environment)
        try environment.writeBlocking { transaction in
            var size: Int64 = 0
            for name in TableName.allCases where name != .meta {
                try transaction.reader.withCursor(in: tables[name]) { cursor in
                    while let entry = try cursor.next() { size += Int64(entry.key.byteCount + entry.valueSize) }
                }
            }
            var counters = try tables.counters(in: transaction.reader)
            guard counters.storedSize != size else { return }
            counters.storedSize = size
            try transaction.setMeta(CountersRecord.key, counters, in: tables)
        }
    }
}
