#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

extension Environment {
    /// Removes the store at `path` with its directory and every file in that, unless `check` throws.
    ///
    /// Nobody may have the store open, this process included. A process that dies on the way leaves a store that is whole,
    /// or none. Blocks while another process opens or closes the store.
    ///
    /// - Parameters:
    ///   - tables: the tables to open for `check`.
    ///   - check: looks at the content before it goes; nil looks at nothing, also where the file is damaged.
    /// - Throws: ``EngineError/notFound``, ``EngineError/heldByOthers``; with a `check` the errors of
    ///   ``open(path:options:initialize:)``, and what it throws. The store is then unchanged.
    public static func destroy(
        path: String, tables: [String], check: ((borrowing ReadTransaction, [String: Table]) throws -> Void)?
    ) throws {
        let directory = StoreDirectory(path: try StoreDirectory.absolute(path))
        guard let identity = FileIdentity(path: directory.dataPath) else { throw EngineError.notFound }
        let lock = try directory.lock()
        guard FileIdentity(path: directory.dataPath) == identity else { throw EngineError.replaced }
        if isOpenHere(identity) { throw EngineError.heldByOthers }
        let guardFile = try GuardFile(directory: directory.path, isReadOnly: false)
        guard try guardFile.isHeldAlone() else { throw EngineError.heldByOthers }
        if let check {
            let isAlone = try validate(directory, guardFile)
            let options = EnvironmentOptions(access: .readOnly, tables: tables)
            let environment = try attach(directory, identity, options, guardFile, isAlone: isAlone)
            let outcome = Result { try environment.read { snapshot in try check(snapshot, environment.tables) } }
            environment.closeForMaintenance()
            try outcome.get()
        }
        // The content first: what is left then is no store.
        if unsafe unlink(directory.dataPath) != 0 { throw EngineError(code: errno, operation: "unlink") }
        directory.removeAll()
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
