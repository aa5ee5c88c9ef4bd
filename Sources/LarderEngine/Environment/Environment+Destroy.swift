extension Environment {
    /// Removes the store at `path`, that is its files and, when nothing else is in it, its directory, unless `inspect`
    /// throws.
    ///
    /// Neither another process nor this one may have the store open. What holds content beside the data file goes before
    /// it: an error or a death on the way leaves a store that opens, or remains that the next call removes. What goes is
    /// what was inspected, also when another directory comes to have the path meanwhile. Needs no space on the disk. Blocks
    /// while another process opens or closes the store.
    ///
    /// - Parameters:
    ///   - tables: the tables to open for `inspect`, those of them that are there.
    ///   - inspect: looks at the content before it goes; what it answers is not used.
    /// - Throws: ``EngineError/notFound``, ``EngineError/heldByOthers``; the errors of
    ///   ``open(path:options:initialize:inspect:)``, and what `inspect` throws. The store is then unchanged. Errors of the
    ///   system when a file cannot be removed.
    public static func destroy(path: String, tables: [String], inspect: Inspection) throws {
        try remove(path) { directory, guardFile in
            try look(at: directory, guardFile, EnvironmentOptions(access: .readOnly, tables: tables), inspect)
        }
    }

    /// Removes the store at `path` as ``destroy(path:tables:inspect:)`` does, without mapping the file, so that damage in
    /// it cannot end the process. A damaged file is removed as long as `guard.lock` shows that it was a store.
    ///
    /// - Parameters:
    ///   - record: the table and the key of the record that says what the file is.
    ///   - judge: throws where the file is to stay, by the record's value, or nil when the file has none, and by whether
    ///     `guard.lock` shows that it was a store.
    /// - Throws: ``EngineError/notFound``, ``EngineError/heldByOthers``, the errors of a damaged file, and what `judge`
    ///   throws. The store is then unchanged.
    public static func discard(
        path: String, record: (table: String, key: [UInt8]),
        judge: (_ record: [UInt8]?, _ isMarked: Bool) throws -> Void
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
            try judge(value, isMarked)
        }
    }

    private static func remove(_ path: String, check: (StoreDirectory, GuardFile?) throws -> Void) throws {
        let path = try StoreDirectory.absolute(path)
        let directory = StoreDirectory(path: path, held: try StoreDirectory(path: path).lock())
        let identity = try directory.dataIdentity()
        let guardFile = try GuardFile.existing(in: directory, isReadOnly: true)
        if let identity {
            if isOpenHere(identity) { throw EngineError.heldByOthers }
        } else if try guardFile?.isMarked() != true {
            throw EngineError.notFound
        }
        let isAlone = try guardFile?.isHeldAlone(in: directory) ?? (directory.isLockFileHeld() != true)
        if !isAlone { throw EngineError.heldByOthers }
        // Without a data file, they are what a call that was cut short has left.
        if identity != nil { try check(directory, guardFile) }
        try directory.removeStore(identity)
        withExtendedLifetime((directory, guardFile)) {}
    }

    /// Whether this process has the file open, with whatever options.
    private static func isOpenHere(_ identity: FileIdentity) -> Bool {
        if case .none? = try? EnvironmentRegistry.shared.find(identity, options: EnvironmentOptions(tables: [])) {
            return false
        }
        return true
    }
}
