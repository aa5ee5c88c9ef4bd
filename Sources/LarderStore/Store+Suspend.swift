internal import LarderEngine
internal import LarderFormat

extension Store {
    /// Closes the file until the next use, so that this process holds no lock on any file of the store.
    ///
    /// iOS ends an app that is suspended while it holds a lock on a file in an app group. Before that, end runs of the
    /// outbox and of syncs, replacements of resources, and reads and writes of bodies, which hold locks of their own,
    /// then suspend the store. Writes that wait are finished first, and reads under way are waited for. The store stays
    /// open: the next read or write, of the app or of an observer, opens the file again, as an open does it and about
    /// as fast. Meanwhile other processes may write to the file, and even open it alone. Observers are notified of
    /// commits of other processes when the file is open again. Every open of the file in this process is suspended with
    /// it. Blocks.
    ///
    /// Where the file was replaced or removed meanwhile, as by a compaction, each use throws `EngineError.replaced`:
    /// close the store and open it again.
    ///
    /// ```swift
    /// running.cancel()
    /// _ = await running.result
    /// try cache.store.suspend(within: 2000)
    /// ```
    ///
    /// - Parameter milliseconds: the time to wait for reads; nil waits for ever.
    /// - Throws: ``StoreError/workUnderWay(lock:)`` and `EngineError.busy` with the file still open;
    ///   `EngineError.closed`, `EngineError.stopped`.
    public func suspend(within milliseconds: Int? = nil) throws {
        try checkOpen()
        if let lock = try lockUnderWay() { throw StoreError.workUnderWay(lock: lock) }
        writeUsageSoon()
        let needsWriting = !isReadOnly
        try environment.suspend(within: milliseconds) { transaction, tables in
            let access = try Self.readFormat(in: transaction, tables)
            return access == .readWrite || !needsWriting
        }
    }

    /// The name of a lock file that work of this process has locked; nil where none is.
    private func lockUnderWay() throws -> String? {
        if shared.leases.isInUse { return BlobLeases.lockName }
        if shared.part(SyncOwnership.self).isHeld { return SyncOwnership.lockName }
        if shared.lease.isInUse { return shared.lease.name }
        return try ownsOutbox ? Self.outboxLock : nil
    }
}
