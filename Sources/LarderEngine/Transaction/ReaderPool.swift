private import CLMDB

/// Read transactions that have been reset and wait to be renewed, the last used first.
///
/// Renewing one costs a tenth of beginning one, and a reset one pins no page.
final class ReaderPool: @unchecked Sendable {
    // Sendable: the array is touched under the monitor only, whose lock, unlike that of `Mutex`, the thread sanitizer
    // can see.
    private let monitor = Monitor()
    private var slots: [ReaderSlot] = []

    /// A reset transaction, or nil when none waits.
    func take() -> ReaderSlot? {
        monitor.locked { slots.popLast() }
    }

    /// Takes back a transaction that has been reset.
    func put(_ slot: ReaderSlot) {
        monitor.locked { slots.append(slot) }
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

/// One read transaction of LMDB, with the slot it holds in the reader table.
@safe
final class ReaderSlot: @unchecked Sendable {
    // Sendable: with MDB_NOTLS a read transaction may move between threads, and the pool hands it to one at a time.
    let handle: OpaquePointer

    init(handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    /// Gives the snapshot up and keeps the slot. LMDB: `mdb_txn_reset`.
    func reset() {
        unsafe mdb_txn_reset(handle)
    }

    /// Frees transaction and slot. LMDB: `mdb_txn_abort`.
    func end() {
        unsafe mdb_txn_abort(handle)
    }
}
