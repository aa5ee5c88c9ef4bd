private import CLMDB
private import Synchronization

extension Environment {
    /// How long growing the map waits for readers, in milliseconds.
    private static let growthDeadline = 10_000
    /// Pages by which the file grows between two looks for dead readers.
    private static let pagesBetweenLooks = 4096

    /// Makes room: frees what dead readers pinned and doubles the map, up to its cap. On the writer thread, between transactions.
    func grow() throws(EngineError) {
        let cleared = try clearStaleReaders()
        let current = try info().mapSize
        guard current < options.mapSizeCap else {
            // Pages that a dead reader pinned may be all that is missing; only the next transaction can tell.
            if cleared > 0 { return }
            throw .mapFull(cap: options.mapSizeCap)
        }
        let wanted = min(options.mapSizeCap, current.multipliedReportingOverflow(by: 2).partialValue)
        try resize(to: wanted)
    }

    /// Frees what dead readers pin, when the file has grown by much. On the writer thread, between transactions.
    ///
    /// A writer that is never idle would otherwise find them only when the map is full.
    func lookAfterReaders() throws(EngineError) {
        var info = unsafe MDB_envinfo()
        try check(unsafe mdb_env_info(handle, &info), "mdb_env_info")
        let lastPage = unsafe info.me_last_pgno
        guard lastPage >= lastPageAtLook + Self.pagesBetweenLooks else { return }
        lastPageAtLook = lastPage
        try clearStaleReaders()
    }

    /// Takes over the size another process has given the map. On the writer thread, between transactions.
    func adoptMapSize() throws(EngineError) {
        try resize(to: 0)
    }

    private func resize(to size: Int) throws(EngineError) {
        let code = gate.exclusively(within: Self.growthDeadline) { unsafe mdb_env_set_mapsize(handle, size) }
        guard let code else { throw .mapFull(cap: options.mapSizeCap) }
        if code != MDB_SUCCESS {
            // LMDB has given up the old map before it failed to make the new one.
            state.store(State.stopped.rawValue, ordering: .releasing)
            throw EngineError(code: code, operation: "mdb_env_set_mapsize")
        }
    }

    /// Frees the reader slots of processes that died. LMDB: `mdb_reader_check`.
    ///
    /// Done at open, while the file or the map grows, when slots run out and once a minute without writes.
    ///
    /// - Returns: how many were freed.
    @discardableResult
    public func clearStaleReaders() throws(EngineError) -> Int {
        try whileOpen { () throws(EngineError) in
            var cleared: Int32 = 0
            try check(unsafe mdb_reader_check(handle, &cleared), "mdb_reader_check")
            return Int(cleared)
        }
    }
}
