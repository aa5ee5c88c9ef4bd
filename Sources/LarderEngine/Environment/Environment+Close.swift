private import CLMDB
private import Synchronization

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

extension Environment {
    /// Closes one open; the last close closes the environment.
    ///
    /// It rejects new work, finishes the writes that wait, waits until all readers have left, and records a clean
    /// close. Blocks.
    ///
    /// - Parameter milliseconds: the time to wait for readers; nil waits for ever.
    /// - Throws: ``EngineError/busy`` when readers did not leave in time: the environment stays open for reading and
    ///   may be closed again. ``EngineError/closed`` when it was closed before.
    public func close(within milliseconds: Int? = nil) throws(EngineError) {
        precondition(!isReading, "a store cannot be closed from inside one of its reads")
        // A forked child must not touch its parent's locks and reader slots.
        if isForked { throw .usedAfterFork }
        guard try EnvironmentRegistry.shared.release(self) else { return }
        hasStoppedWriting.store(true, ordering: .releasing)
        writer.stop()
        let before = state.exchange(State.closing.rawValue, ordering: .acquiringAndReleasing)
        let isClosed: Void? = remapLock.withExclusiveLock(within: milliseconds) {
            pool.drain()
            stopWatching()
            if before != State.suspended.rawValue { closeFile(isClean: before == State.open.rawValue) }
            guardPages(nil)
            suspendedWork = []
            state.store(State.closed.rawValue, ordering: .releasing)
        }
        guard isClosed != nil else {
            state.store(before, ordering: .releasing)
            EnvironmentRegistry.shared.restore(self)
            throw .busy
        }
        EnvironmentRegistry.shared.remove(self)
    }

    /// The longest wait for the directory's lock. Other opens and closes hold it for a fraction of this time; a longer
    /// wait would be for another program.
    private static let longestWaitOfClose = Duration.seconds(2)

    /// Closes the file with the directory locked, so that no other process opens it meanwhile, and releases every
    /// lock.
    func closeFile(isClean: Bool) {
        guard let guardFile else {
            unsafe mdb_env_close(handle)
            return
        }
        let directory = StoreDirectory(path: path)
        // Without the lock the close still has to happen, without the mark of a clean close. The caller is blocked
        // meanwhile.
        let lock = try? directory.lock(LockWait(limit: min(options.lockTimeout, Self.longestWaitOfClose)))
        defer { withExtendedLifetime(lock) {} }
        unsafe mdb_env_close(handle)
        // After a clean close the next open reads no pages, and would not find damage again that this one has met.
        if lock != nil, isClean, !hasMetDamage.load(ordering: .relaxed),
            pageGuard?.hasFoundDamage.load(ordering: .relaxed) != true, !options.isReadOnly,
            (try? guardFile.isHeldExclusively(in: directory)) == true,
            let data = try? directory.openFile(named: StoreDirectory.dataName, O_RDONLY),
            (try? data.identity().file) == identity
        {
            try? guardFile.markClean(data: data, in: directory)
        }
        flock(guardFile.file.number, LOCK_UN)
    }

    /// Closes an environment that only maintenance uses, while maintenance holds the directory's lock and the guard.
    func closeForMaintenance() {
        writer.stop()
        state.store(State.closed.rawValue, ordering: .releasing)
        pool.drain()
        stopWatching()
        unsafe mdb_env_close(handle)
    }
}
