private import CLMDB

/// Read transactions that were reset and wait to be renewed, the last used first.
///
/// Renewing one costs a tenth of beginning one, and a reset one pins no page. But it keeps its slot of the reader
/// table, which all processes share, so only a few are kept.
final class ReaderPool: @unchecked Sendable {
    // Sendable: the array is used under the monitor only, whose lock, unlike that of `Mutex`, the thread sanitizer can
    // see.
    private let monitor = Monitor()
    private var slots: [ReaderSlot] = []

    /// The most transactions that are kept.
    static let limit = 16

    /// Removes and returns a reset transaction, or nil when none waits.
    func acquire() -> ReaderSlot? {
        monitor.locked { slots.popLast() }
    }

    /// Returns a reset transaction to the pool, or ends it when enough are waiting.
    ///
    /// Call it under the remap lock: ending a transaction after the environment has closed would touch freed memory.
    func release(_ slot: ReaderSlot) {
        let isPooled = monitor.locked {
            guard slots.count < Self.limit else { return false }
            slots.append(slot)
            return true
        }
        if !isPooled { slot.end() }
    }

    /// Ends every waiting transaction and frees its reader slot.
    func drain() {
        let all = monitor.locked {
            defer { slots.removeAll() }
            return slots
        }
        for slot in all { slot.end() }
    }
}

/// One read transaction of LMDB, with its slot in the reader table.
@safe
final class ReaderSlot: @unchecked Sendable {
    // Sendable: with MDB_NOTLS a read transaction may move between threads, and the pool passes it to one at a time.
    let handle: OpaquePointer
    /// The plain values of the transaction; nil without a cipher and a decompressor.
    let plain: PlainValues?

    init(handle: OpaquePointer, plain: PlainValues?) {
        unsafe self.handle = handle
        self.plain = plain
    }

    /// Releases the read view and keeps the slot. LMDB: `mdb_txn_reset`.
    func reset() {
        unsafe mdb_txn_reset(handle)
        plain?.reset()
    }

    /// Frees transaction and slot. LMDB: `mdb_txn_abort`.
    func end() {
        unsafe mdb_txn_abort(handle)
    }
}
