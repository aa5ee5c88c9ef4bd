private import CLMDB
private import Synchronization

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

extension Environment {
    /// Lends a read view of the last commit to `body`.
    ///
    /// It runs on the caller's thread. It waits only when the map grows: while the map moves, which waits up to ten
    /// seconds for other readers, and, where another process has grown the map or the environment is suspended, for
    /// the writer thread. A read inside a read shares the outer read view. The closure is synchronous, so no read view
    /// lives across a suspension.
    ///
    /// - Throws: what `body` throws, but for ``EngineError/keyUnavailable(_:)`` the error that it has;
    ///   ``EngineError/closed``, ``EngineError/usedAfterFork``, ``EngineError/readersFull``, ``EngineError/stopped``; where it is suspended, as
    ///   ``suspend(within:validation:)`` says.
    public func read<Result: ~Copyable>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
        if let outer = currentReader {
            if isForked { throw EngineError.usedAfterFork }
            let bounds = unsafe try mapExtent.bounds(in: outer.handle, isWriting: false)
            let plain = PlainValues(options, tables)
            defer { withExtendedLifetime(plain) {} }
            return try body(
                unsafe ReadTransaction(
                    handle: outer.handle, bounds: bounds, plain: plain, pages: neededGuard, slot: outer))
        }
        let (slot, bounds) = try acquireReader()
        unsafe pthread_setspecific(readerKey, Unmanaged.passUnretained(slot).toOpaque())
        defer {
            pthread_setspecific(readerKey, nil)
            // In a child forked by `body` the slot is the parent's, in memory that both share.
            if !isForked {
                slot.reset()
                pool.release(slot)
            }
            remapLock.unlockShared()
        }
        do {
            return try body(
                unsafe ReadTransaction(
                    handle: slot.handle, bounds: bounds, plain: slot.plain, pages: neededGuard, slot: slot))
        } catch EngineError.keyUnavailable(let failure) {
            throw failure.error
        } catch let error as EngineError where error.isOfStoredBytes {
            hasMetDamage.store(true, ordering: .relaxed)
            throw error
        }
    }

    /// Acquires the remap lock shared and begins a read view; on failure it releases the lock.
    private func acquireReader() throws(EngineError) -> (slot: ReaderSlot, bounds: ValueBounds) {
        var isCleared = false
        for _ in 0..<4 {
            try lockOpen()
            do throws(EngineError) {
                let slot = try beginReader()
                do throws(EngineError) {
                    return unsafe (slot, try mapExtent.bounds(in: slot.handle, isWriting: false))
                } catch {
                    slot.end()
                    throw error
                }
            } catch .system(code: MDB_MAP_RESIZED, _) {
                remapLock.unlockShared()
                try adoptMapSizeFromReader()
            } catch .readersFull where !isCleared {
                remapLock.unlockShared()
                try clearStaleReaders()
                isCleared = true
            } catch {
                remapLock.unlockShared()
                throw error
            }
        }
        throw .busy
    }

    private func beginReader() throws(EngineError) -> ReaderSlot {
        if let slot = pool.acquire() {
            do throws(EngineError) {
                try check(unsafe mdb_txn_renew(slot.handle), "mdb_txn_renew")
                slot.plain?.restart()
                return slot
            } catch {
                slot.end()
                throw error
            }
        }
        var begun: OpaquePointer?
        try check(unsafe mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &begun), "mdb_txn_begin")
        guard let transaction = unsafe begun else {
            preconditionFailure("mdb_txn_begin succeeded without a transaction")
        }
        return unsafe ReaderSlot(handle: transaction, plain: PlainValues(options, tables, isReused: true))
    }

    /// Adopts another process's growth of the map, on the writer thread, between transactions.
    private func adoptMapSizeFromReader() throws(EngineError) {
        // No process writes to a published copy, so the pages themselves are wrong.
        if guardFile == nil { throw .corrupted }
        guard writer.isCurrent else {
            return try waitForWriter { () throws(EngineError) in try self.adoptMapSize() }
        }
        // No other process can write while this one does, so the pages themselves are wrong.
        if unsafe openTransaction != nil { throw .corrupted }
        try adoptMapSize()
    }
}
