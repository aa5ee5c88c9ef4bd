private import CLMDB
private import Synchronization

extension Environment {
    /// The time for which growing the map waits for readers, in milliseconds.
    private static let growthDeadline = 10_000
    /// The number of pages by which the file grows between two checks for dead readers.
    private static let pagesBetweenReaderChecks = 4096

    /// Makes space: frees pages that dead readers pinned and doubles the map, up to its cap. Runs on the writer thread,
    /// between transactions.
    func grow() throws(EngineError) {
        let cleared = try clearStaleReaders()
        let current = try info().mapSize
        guard current < options.mapSizeCap else {
            // The pages that a dead reader pinned may suffice; only the next transaction shows that.
            if cleared > 0 { return }
            throw .mapFull(cap: options.mapSizeCap)
        }
        let wanted = min(options.mapSizeCap, current.multipliedReportingOverflow(by: 2).partialValue)
        try resize(to: wanted)
    }

    /// Frees pages that dead readers pin, when the file has grown by much. Runs on the writer thread, between
    /// transactions.
    ///
    /// A writer that is never idle would otherwise find dead readers only when the map is full.
    func clearStaleReadersIfGrown() throws(EngineError) {
        var info = unsafe MDB_envinfo()
        try check(unsafe mdb_env_info(handle, &info), "mdb_env_info")
        let lastPage = unsafe info.me_last_pgno
        guard lastPage >= lastPageAtReaderCheck + Self.pagesBetweenReaderChecks else { return }
        lastPageAtReaderCheck = lastPage
        try clearStaleReaders()
    }

    /// Adopts the map size that another process has set. Runs on the writer thread, between transactions.
    func adoptMapSize() throws(EngineError) {
        // A reader requested it before the environment was suspended; the next open maps the file anew.
        if isSuspended { return }
        try resize(to: 0)
    }

    private func resize(to size: Int) throws(EngineError) {
        let code = remapLock.withExclusiveLock(within: Self.growthDeadline) {
            mapExtent.forget()
            return unsafe mdb_env_set_mapsize(handle, size)
        }
        guard let code else { throw .mapFull(cap: options.mapSizeCap) }
        if code != MDB_SUCCESS {
            // LMDB has unmapped the old map before it failed to create the new one.
            state.store(State.stopped.rawValue, ordering: .releasing)
            throw EngineError(code: code, operation: "mdb_env_set_mapsize")
        }
    }

    /// Frees the reader slots of processes that died. LMDB: `mdb_reader_check`.
    ///
    /// It runs at open, while the file or the map grows, when slots run out and once a minute without writes.
    ///
    /// - Returns: the number of slots freed.
    /// - Throws: ``EngineError/closed``, ``EngineError/stopped``, ``EngineError/usedAfterFork``; an error of LMDB.
    @discardableResult
    public func clearStaleReaders() throws(EngineError) -> Int { try clearStaleReaders(resumes: true) }

    /// Frees slots as ``clearStaleReaders()``.
    ///
    /// - Parameter resumes: whether a suspended environment is opened again; otherwise it counts as closed.
    @discardableResult
    func clearStaleReaders(resumes: Bool) throws(EngineError) -> Int {
        try whileOpen(resumes: resumes) { () throws(EngineError) in
            var cleared: Int32 = 0
            try check(unsafe mdb_reader_check(handle, &cleared), "mdb_reader_check")
            return Int(cleared)
        }
    }
}
