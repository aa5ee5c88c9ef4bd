extension Environment {
    /// Removes the store at `path`, unless `inspect` throws: its files and, when nothing else is in it, its directory.
    ///
    /// Neither another process nor this one may have the store open. Files with content beside the data file are
    /// removed before it. An error or a killed process leaves a store that opens, or remains that the next call
    /// removes. Only the inspected directory is changed, even when another one gets the path meanwhile. Needs no space
    /// on the disk. Blocks while another process opens or closes the store.
    ///
    /// - Parameters:
    ///   - tables: the tables to open for `inspect`; those that do not exist are skipped.
    ///   - inspect: reads the content before it is removed; its result is not used.
    /// - Throws: ``EngineError/notFound``, ``EngineError/heldByOthers``; the errors of
    ///   ``open(path:options:initialize:inspect:)``, and what `inspect` throws. The store is then unchanged. Errors of
    ///   the system when a file cannot be removed.
    public static func destroy(path: String, tables: [String], inspect: Inspection) throws {
        try destroy(path: path, tables: tables, cipher: nil, inspect: inspect)
    }

    /// As ``destroy(path:tables:inspect:)``, for values that `cipher` opens.
    package static func destroy(
        path: String, tables: [String], cipher: (any ValueCipher)?, inspect: Inspection
    ) throws {
        try remove(path) { directory, guardFile in
            var options = EnvironmentOptions(access: .readOnly, tables: tables)
            options.cipher = cipher
            try inspectFile(at: directory, guardFile, options, inspect)
        }
    }

    /// Removes the store at `path` as ``destroy(path:tables:inspect:)`` does, without mapping the file, so that damage
    /// in it cannot end the process. A damaged file is removed as long as `guard.lock` shows that it was a store.
    ///
    /// - Parameters:
    ///   - record: the table and the key of the record that identifies the file.
    ///   - validate: throws to keep the file. Receives the record's value, or nil when the file has none, and whether
    ///     `guard.lock` shows that it was a store. Not called for a damaged file.
    /// - Throws: ``EngineError/notFound``, ``EngineError/heldByOthers``, the errors of a damaged file, and what
    ///   `validate` throws. The store is then unchanged.
    public static func discard(
        path: String, record: (table: String, key: [UInt8]),
        validate: (_ record: [UInt8]?, _ isMarked: Bool) throws -> Void
    ) throws {
        try remove(path) { directory, guardFile in
            let isMarked = try guardFile?.isMarked() == true
            let value: [UInt8]?
            do {
                value = try Self.record(record.key, inTable: record.table, of: directory)
            } catch let error as EngineError where error.isDamage {
                guard isMarked else { throw error }
                return
            }
            try validate(value, isMarked)
        }
    }

    private static func remove(_ path: String, check: (StoreDirectory, GuardFile?) throws -> Void) throws {
        let path = try StoreDirectory.absolute(path)
        let directory = StoreDirectory(path: path, descriptor: try StoreDirectory(path: path).lock())
        let identity = try directory.dataIdentity()
        let guardFile = try GuardFile.existing(in: directory, isReadOnly: true)
        if let identity {
            if isOpenInThisProcess(identity) { throw EngineError.heldByOthers }
        } else if try guardFile?.isMarked() != true {
            throw EngineError.notFound
        }
        let isExclusive = try guardFile?.isHeldExclusively(in: directory) ?? (directory.isLockFileHeld() != true)
        if !isExclusive { throw EngineError.heldByOthers }
        // Without a data file, these files are the remains of an interrupted call.
        if identity != nil { try check(directory, guardFile) }
        try directory.removeStore(identity)
        withExtendedLifetime((directory, guardFile)) {}
    }

    /// Whether this process has the file open, with any options.
    static func isOpenInThisProcess(_ identity: FileIdentity) -> Bool {
        if case .none? = try? EnvironmentRegistry.shared.find(identity, options: EnvironmentOptions(tables: [])) {
            return false
        }
        return true
    }
}
