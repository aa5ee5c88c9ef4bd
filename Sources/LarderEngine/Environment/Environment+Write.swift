private import CLMDB
private import Synchronization

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

extension Environment {
    /// Runs `job` on the writer thread, with no transaction open; it may call ``transact(durability:_:)``.
    ///
    /// Jobs run one at a time in the order given, except that other jobs precede bulk jobs: a bulk job runs after eight
    /// others at the latest. Never blocks.
    ///
    /// - Throws: ``EngineError/closed``, ``EngineError/readOnly``, ``EngineError/usedAfterFork``,
    ///   ``EngineError/stopped``; then the job does not run.
    public func onWriter(isBulk: Bool = false, _ job: @escaping @Sendable () -> Void) throws(EngineError) {
        try checkUsable()
        if options.isReadOnly { throw .readOnly }
        if !writer.submit(isBulk: isBulk, job) { throw .closed }
    }

    /// Runs a bulk job as ``onWriter(isBulk:_:)`` does, for work that is no use by the program: in a suspended
    /// environment the job waits until something else opens the file again, and is dropped when it closes instead.
    ///
    /// - Throws: as ``onWriter(isBulk:_:)``.
    package func onWriterInBackground(_ job: @escaping @Sendable () -> Void) throws(EngineError) {
        try onWriter(isBulk: true) {
            if self.isSuspended { self.suspendedWork.append(job) } else { job() }
        }
    }

    /// Whether work that is not bulk waits for the writer thread, so that a bulk batch should end soon.
    public var hasWaitingWriters: Bool { writer.hasUrgentJobs }

    /// Whether any write waits; in a stepped environment ``runNextWrite()`` runs it.
    package var hasWrites: Bool { writer.hasJobs }

    /// Runs the next write, with all that wait to share its commit; returns false when none waits. Only for an
    /// environment that was opened stepped (``EnvironmentOptions/isStepped``).
    @discardableResult
    package func runNextWrite() -> Bool { writer.runNext() }

    /// Makes every commit that changes something fail with `error`, as on a full disk; nil ends that. Only for an
    /// environment that was opened stepped.
    package func failCommits(with error: EngineError?) {
        precondition(options.isStepped, "commit failures can be set in a stepped environment only")
        commitFault = error
    }

    /// Whether the environment is closing: a long job should end at its next commit.
    public var isClosing: Bool { writer.isEnding }

    /// Runs `body` in one write transaction and commits it. Only on the writer thread, inside ``onWriter(isBulk:_:)``.
    ///
    /// When the map is full it grows and `body` runs again in a new transaction, so `body` may run more than once. When
    /// `body` throws, the store is unchanged.
    ///
    /// - Throws: what `body` throws; ``EngineError/mapFull(cap:)``, ``EngineError/diskFull``,
    ///   ``EngineError/ioFailure(errno:)``, ``EngineError/replaced``, ``EngineError/transactionFull``.
    public func transact<Result>(
        durability: Durability, _ body: (inout WriteTransaction) throws -> Result
    ) throws -> Result {
        precondition(writer.isCurrent, "write transactions run on the writer thread")
        precondition(unsafe openTransaction == nil, "a write transaction inside another of the same store")
        try checkUsable()
        try resume()
        try checkInPlace()
        try checkPagesOnce()
        try clearStaleReadersIfGrown()
        try setDurability(durability)
        while true {
            if let result = try attempt(body) { return result }
            try grow()
        }
    }

    /// Runs `body` in one write transaction; returns nil when the map was full, and nothing has changed.
    private func attempt<Result>(_ body: (inout WriteTransaction) throws -> Result) throws -> Result? {
        let handle = unsafe try begin()
        var transaction = unsafe WriteTransaction(
            handle: handle, bounds: try boundsOfWrite(handle), plain: PlainValues(options, tables), pages: neededGuard)
        let number = transaction.reader.commit
        recordBegin(of: number)
        let result: Result
        do {
            defer {
                // Two nested closures could exchange the transactions that were lent to them.
                precondition(unsafe transaction.handle == handle, "a write transaction was exchanged for another")
            }
            try beginSealing(&transaction)
            result = try body(&transaction)
            if let failure = transaction.failure { throw failure.error }
        } catch {
            // A child forked by `body` must leave its parent's transaction alone.
            if isForked { throw EngineError.usedAfterFork }
            unsafe abort(handle)
            guard let failure = transaction.failure else { throw error }
            if failure.error.isMapFull { return nil }
            throw failure.isOfRead ? failure.error : stopIfFatal(failure.error)
        }
        if isForked { throw EngineError.usedAfterFork }
        do throws(EngineError) {
            if transaction.requiresFullDurability { try setDurability(.full) }
            unsafe try commit(handle, failingWith: transaction.isDirty ? commitFault : nil)
            if transaction.isDirty {
                cipher?.didCommit()
                recordEnd(of: number)
            }
        } catch {
            // The commit writes the list of free pages, which may be the part that did not fit.
            if error.isMapFull { return nil }
            throw error
        }
        return result
    }

    /// Has the cipher prepare a transaction that has just begun.
    private func beginSealing(_ transaction: inout WriteTransaction) throws {
        guard let cipher, let home = tables[cipher.record.table] else { return }
        let key = cipher.record.key
        let changed = try key.withRawSpan { key in
            try cipher.begin(with: transaction.reader.value(forKey: key, in: home))
        }
        guard let changed else { return }
        try key.withRawSpan { key in try changed.withRawSpan { try transaction.set($0, forKey: key, in: home) } }
    }

    /// Runs `body` in one write transaction on the writer thread and waits for the commit.
    ///
    /// Blocks the calling thread. Calling it inside a read or write of the same environment is a programming error.
    ///
    /// - Throws: as ``transact(durability:_:)``.
    public func writeBlocking<Result>(
        durability: Durability = .full, _ body: (inout WriteTransaction) throws -> Result
    ) throws -> Result {
        try onWriterBlocking { try transact(durability: durability, body) }
    }

    /// Runs `job` on the writer thread, with no transaction open, and waits for it; it may call
    /// ``transact(durability:_:)``.
    ///
    /// Blocks the calling thread. Calling it inside a read or write of the same environment is a programming error.
    ///
    /// - Throws: what `job` throws; ``EngineError/closed``, ``EngineError/readOnly``, ``EngineError/usedAfterFork``,
    ///   ``EngineError/stopped``.
    public func onWriterBlocking<Result>(_ job: () throws -> Result) throws -> Result {
        precondition(!isInsideTransaction, "a blocking write inside a read or write of the same store")
        if options.isReadOnly { throw EngineError.readOnly }
        try checkUsable()
        var outcome: Swift.Result<Result, any Error>?
        try withoutActuallyEscaping(job) { job in
            // The caller waits until the job has run, so neither it nor the outcome is shared.
            let work = BorrowedWork { outcome = Swift.Result { try job() } }
            try waitForWriter { work.run() }
        }
        guard let outcome else { preconditionFailure("the writer thread dropped a job") }
        return try outcome.get()
    }

    /// Runs `work` on the writer thread and waits for it.
    func waitForWriter(
        isBulk: Bool = false, _ work: @escaping @Sendable () throws(EngineError) -> Void
    ) throws(EngineError) {
        let monitor = Monitor()
        let done = Mutex<Result<Void, EngineError>?>(nil)
        let isSubmitted = writer.submit(isBulk: isBulk) {
            let result = Result { () throws(EngineError) in try work() }
            monitor.locked {
                done.withLock { $0 = result }
                monitor.signalAll()
            }
        }
        if !isSubmitted { throw .closed }
        writer.runIfStepped()
        monitor.locked {
            while done.withLock({ $0 == nil }) { monitor.wait() }
        }
        if let result = done.withLock({ $0 }) { try result.get() }
    }

    private func begin() throws(EngineError) -> OpaquePointer {
        for _ in 0..<3 {
            var begun: OpaquePointer?
            let code = unsafe mdb_txn_begin(handle, nil, 0, &begun)
            if code == MDB_MAP_RESIZED {
                try adoptMapSize()
                continue
            }
            try checkFatal(code, "mdb_txn_begin")
            if let transaction = unsafe begun {
                unsafe openTransaction = transaction
                return unsafe transaction
            }
        }
        throw .busy
    }

    /// Returns the bounds of the values in a write transaction that has just begun; on failure it ends the transaction.
    private func boundsOfWrite(_ transaction: OpaquePointer) throws(EngineError) -> ValueBounds {
        do throws(EngineError) {
            return unsafe try mapExtent.bounds(in: transaction, isWriting: true)
        } catch {
            unsafe abort(transaction)
            throw error
        }
    }

    private func commit(_ transaction: OpaquePointer, failingWith fault: EngineError?) throws(EngineError) {
        if let fault {
            unsafe abort(transaction)
            throw fault
        }
        // LMDB frees the transaction whether or not the commit succeeds.
        unsafe openTransaction = nil
        try checkFatal(unsafe mdb_txn_commit(transaction), "mdb_txn_commit")
    }

    private func abort(_ transaction: OpaquePointer) {
        unsafe openTransaction = nil
        unsafe mdb_txn_abort(transaction)
    }

    private func checkFatal(_ code: Int32, _ operation: StaticString) throws(EngineError) {
        if code != MDB_SUCCESS { throw stopIfFatal(EngineError(code: code, operation: operation)) }
    }

    /// Distinguishes a full disk from a broken one, and stops the environment after a failure to write.
    private func stopIfFatal(_ error: EngineError) -> EngineError {
        let error = FileSystemCheck.refined(error, at: path)
        switch error {
        case .ioFailure, .stopped: state.store(State.stopped.rawValue, ordering: .releasing)
        default: break
        }
        return error
    }

    /// Throws when the data file is no longer the one at the path, so that commits would be written to an unlinked
    /// file.
    private func checkInPlace() throws(EngineError) {
        if try FileIdentity.of(path + "/" + StoreDirectory.dataName) != identity { throw .replaced }
    }

    private func setDurability(_ durability: Durability) throws(EngineError) {
        let wanted = durability == .relaxed
        if wanted == isRelaxed { return }
        // The flag changes between transactions, on the only thread that commits.
        try check(unsafe mdb_env_set_flags(handle, UInt32(MDB_NOMETASYNC), wanted ? 1 : 0), "mdb_env_set_flags")
        isRelaxed = wanted
    }
}

/// A closure that the writer thread runs while its owner waits. It runs once, and is released before the owner wakes.
private final class BorrowedWork: @unchecked Sendable {
    // Sendable: the thread that created it blocks until `run` has returned on the other one.
    private var body: (() -> Void)?

    init(_ body: @escaping () -> Void) {
        self.body = body
    }

    /// Never inlined, so that the last reference to the closure ends here and not after the owner has woken.
    @inline(never)
    func run() {
        guard let body = body.take() else { return }
        body()
    }
}
