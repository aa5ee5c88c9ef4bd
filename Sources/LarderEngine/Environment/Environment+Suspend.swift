private import CLMDB
private import Synchronization

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// Releasing every lock of the file while the program is suspended, and opening it again at the next use.
extension Environment {
    /// Whether the file may still be used as it was, according to its content and the tables that it has.
    public typealias Validation = @Sendable (ReadTransaction, [String: Table]) throws -> Bool

    /// Closes the file, so that this process holds no lock on it, until it is used again.
    ///
    /// It follows the writes that wait, and waits until all readers have left. Reads and writes that begin later open
    /// the file again, with the checks of an open; meanwhile other processes may write to it. Observers are then
    /// notified of their commits. Background work (``onWriterInBackground(_:)``) waits for that. Does nothing
    /// where the environment is suspended. Blocks.
    ///
    /// Where the file was replaced or removed meanwhile, or `validation` does not accept it, each use throws
    /// ``EngineError/replaced`` until it is closed. Other errors of an open, such as
    /// ``EngineError/lockedElsewhere(name:seconds:)`` and those of a damaged file, are thrown by the use that met them,
    /// and the next one tries again.
    ///
    /// - Parameters:
    ///   - milliseconds: the time to wait for readers; nil waits for ever.
    ///   - validation: checks the content before the file is used again.
    /// - Throws: ``EngineError/busy`` when readers did not leave in time: the file stays open.
    ///   ``EngineError/closed``, ``EngineError/stopped``, ``EngineError/usedAfterFork``.
    public func suspend(within milliseconds: Int? = nil, validation: @escaping Validation) throws(EngineError) {
        precondition(!isInsideTransaction, "a store cannot be suspended from inside one of its reads or writes")
        try checkUsable()
        // As a bulk job it follows the writes that wait.
        try waitForWriter(isBulk: true) { () throws(EngineError) in
            try self.closeUntilUse(within: milliseconds, validation)
        }
    }

    /// Whether the file is closed until the next use.
    var isSuspended: Bool { state.load(ordering: .acquiring) == State.suspended.rawValue }

    /// Closes the file; on the writer thread.
    private func closeUntilUse(within milliseconds: Int?, _ validation: @escaping Validation) throws(EngineError) {
        try checkUsable()
        if isSuspended { return }
        let isClosed: Void? = remapLock.withExclusiveLock(within: milliseconds) {
            pool.drain()
            closeFile(isClean: true)
            mapExtent.forget()
            guardPages(nil)
            self.validation = validation
            state.store(State.suspended.rawValue, ordering: .releasing)
        }
        if isClosed == nil { throw .busy }
    }

    /// Opens the file again if it is suspended.
    ///
    /// - Throws: as ``suspend(within:validation:)`` says of the next use.
    func resume() throws(EngineError) {
        guard isSuspended else { return }
        if writer.isCurrent { return try reopen() }
        try waitForWriter { () throws(EngineError) in try self.reopen() }
    }

    /// Opens the file again, unless another use has done so; on the writer thread.
    private func reopen() throws(EngineError) {
        guard isSuspended, let guardFile, let validation else { return }
        let wait = LockWait(limit: options.lockTimeout)
        let directory = StoreDirectory(path: path)
        let lock: FileDescriptor
        do throws(EngineError) {
            lock = try directory.lock(wait)
        } catch .notFound {
            throw .replaced
        }
        defer { withExtendedLifetime(lock) {} }
        if !options.isReadOnly { try directory.endKilledReplacement() }
        guard try directory.dataIdentity() == identity,
            try directory.identity(ofFile: GuardFile.name) == guardFile.file.identity().file
        else { throw .replaced }
        do {
            let file = try Self.validate(directory, guardFile, options)
            try guardFile.lockShared(wait)
            try open(directory, guardFile, file, validation)
        } catch {
            flock(guardFile.file.number, LOCK_UN)
            // Only the validation has errors of another type.
            throw error as? EngineError ?? .replaced
        }
        if externalCommits.withLock({ $0.watch != nil }) { checkForExternalCommits() }
        let work = suspendedWork
        suspendedWork = []
        for job in work { _ = writer.submit(isBulk: true, job) }
    }

    private func open(
        _ directory: StoreDirectory, _ guardFile: GuardFile, _ file: FileCheck, _ validation: Validation
    ) throws {
        var isAccepted = false
        var options = options
        // The tables get the identifiers that they had.
        options.tables.sort { table($0).identifier < table($1).identifier }
        let (opened, found, pages) = unsafe try Self.openFile(
            directory, identity, options, guardFile, file
        ) { view, tables in
            isAccepted = try tables == self.tables && validation(view, tables)
            // Missing tables are created by an open only.
            return false
        }
        guard isAccepted, found == tables else {
            unsafe mdb_env_close(opened)
            throw EngineError.replaced
        }
        unsafe handle = opened
        guardPages(pages)
        pageCheck = file.hasCheckedPages ? .sound : .due
        lastPageAtReaderCheck = 0
        isRelaxed = false
        state.store(State.open.rawValue, ordering: .releasing)
    }
}
