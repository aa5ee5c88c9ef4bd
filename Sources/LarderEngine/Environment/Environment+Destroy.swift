#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

extension Environment {
    /// Removes the store at `path`, that is its files and, when nothing else is in it, its directory, unless `inspect`
    /// throws.
    ///
    /// Neither another process nor this one may have the store open. A process that dies on the way leaves a store that
    /// is whole, or none. Needs no space on the disk. Blocks while another process opens or closes the store.
    ///
    /// - Parameters:
    ///   - tables: the tables to open for `inspect`, those of them that are there.
    ///   - inspect: looks at the content before it goes; what it answers is not used.
    /// - Throws: ``EngineError/notFound``, ``EngineError/heldByOthers``; the errors of
    ///   ``open(path:options:initialize:inspect:)``, and what `inspect` throws. The store is then unchanged.
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
        let directory = StoreDirectory(path: try StoreDirectory.absolute(path))
        let lock = try directory.lock()
        guard let identity = try directory.dataIdentity() else { throw EngineError.notFound }
        if isOpenHere(identity) { throw EngineError.heldByOthers }
        let guardFile = try GuardFile.existing(in: directory, isReadOnly: true)
        if let guardFile, try !guardFile.isHeldAlone() { throw EngineError.heldByOthers }
        try check(directory, guardFile)
        // The content first: what is left then is no store.
        if unsafe unlink(directory.dataPath) != 0 { throw EngineError(code: errno, operation: "unlink") }
        directory.removeStore()
        withExtendedLifetime((lock, guardFile)) {}
    }

    /// Whether this process has the file open, with whatever options.
    private static func isOpenHere(_ identity: FileIdentity) -> Bool {
        if case .none? = try? EnvironmentRegistry.shared.find(identity, options: EnvironmentOptions(tables: [])) {
            return false
        }
        return true
    }
}
