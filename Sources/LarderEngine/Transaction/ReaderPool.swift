private import CLMDB

/// Read transactions that have been reset and wait to be renewed, the last used first.
///
/// Renewing one costs a tenth of beginning one, and a reset one pins no page. But it keeps its slot of the reader table,
/// which all processes share, so only a few are kept.
final class ReaderPool: @unchecked Sendable {
    // Sendable: the array is touched under the monitor only, whose lock, unlike that of `Mutex`, the thread sanitizer
    // can see.
    private let monitor = Monitor()
    private var slots: [ReaderSlot] = []

    /// The most that are kept.
    static let limit = 16

    /// A reset transaction, or nil when none waits.
    func take() -> ReaderSlot? {
        monitor.locked { slots.popLast() }
    }

    /// Takes back a transaction that has been reset, or ends it when enough are waiting.
    ///
    /// Inside the gate: ending one after the environment has closed would touch freed memory.
    func put(_ slot: ReaderSlot) {
        let isKept = monitor.locked {
            guard slots.count < Self.limit else { return false }
            slots.append(slot)
            return true
        }
        if !isKept { slot.end() }
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
