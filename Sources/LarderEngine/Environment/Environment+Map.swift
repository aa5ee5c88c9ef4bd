private import CLMDB

extension Environment {
    /// How long growing the map waits for readers, in milliseconds.
    private static let growthDeadline = 10_000

    /// Doubles the map, up to its cap. On the writer thread, between transactions.
    func grow() throws(EngineError) {
        // Pages that a dead reader pinned may be all that is missing, but only the next transaction can tell.
        try clearStaleReaders()
        let current = try info().mapSize
        guard current < options.mapSizeCap else { throw .mapFull(cap: options.mapSizeCap) }
        let wanted = min(options.mapSizeCap, current.multipliedReportingOverflow(by: 2).partialValue)
        try resize(to: wanted)
    }

    /// Takes over the size another process has given the map. On the writer thread, between transactions.
    func adoptMapSize() throws(EngineError) {
        try resize(to: 0)
    }

    private func resize(to size: Int) throws(EngineError) {
        let code = gate.exclusively(within: Self.growthDeadline) { unsafe mdb_env_set_mapsize(handle, size) }
        guard let code else { throw .mapFull(cap: options.mapSizeCap) }
        try check(code, "mdb_env_set_mapsize")
    }

    /// Frees the reader slots of processes that died. LMDB: `mdb_reader_check`.
    ///
    /// - Returns: how many were freed.
    @discardableResult
    public func clearStaleReaders() throws(EngineError) -> Int {
        var cleared: Int32 = 0
        try check(unsafe mdb_reader_check(handle, &cleared), "mdb_reader_check")
        return Int(cleared)
    }
}
