private import CLMDB

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

extension Environment {
    /// Removes the store at `path`, that is its files and, when nothing else is in it, its directory, unless `inspect`
    /// throws.
    ///
    /// Nobody may have the store open, this process included. A process that dies on the way leaves a store that is whole,
    /// or none. Blocks while another process opens or closes the store.
    ///
    /// - Parameters:
    ///   - tables: the tables to open for `inspect`, those of them that are there.
    ///   - isDamagedRemoved: whether a file that is damaged goes too, as long as `guard.lock` shows that it was a store.
    ///   - inspect: looks at the content before it goes; what it answers is not used.
    /// - Throws: ``EngineError/notFound``, ``EngineError/heldByOthers``; the errors of
    ///   ``open(path:options:initialize:inspect:)``, and what `inspect` throws. The store is then unchanged.
    public static func destroy(path: String, tables: [String], isDamagedRemoved: Bool, inspect: Inspection) throws {
        let directory = StoreDirectory(path: try StoreDirectory.absolute(path))
        let lock = try directory.lock()
        guard let identity = try directory.dataIdentity() else { throw EngineError.notFound }
        if isOpenHere(identity) { throw EngineError.heldByOthers }
        let guardFile = try GuardFile(directory: directory, isReadOnly: false)
        guard try guardFile.isHeldAlone() else { throw EngineError.heldByOthers }
        do {
            _ = try validate(directory, guardFile)
            let options = EnvironmentOptions(access: .readOnly, tables: tables)
            let handle = unsafe try openHandle(directory.path, options, isAlone: true)
            defer { unsafe mdb_env_close(handle) }
            _ = unsafe try inspectedTables(handle, options, inspect)
        } catch let error as EngineError where isDamagedRemoved && error.isDamage {
            guard try guardFile.isMarked() else { throw error }
        }
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
