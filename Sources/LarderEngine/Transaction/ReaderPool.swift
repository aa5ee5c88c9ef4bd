private import CLMDB
private import Synchronization

/// Read transactions that were reset and wait to be renewed, the last used first.
///
/// Renewing one costs a tenth of beginning one, and a reset one pins no page. But it keeps its slot of the reader
/// table, which all processes share, so only a few are kept.
@safe
final class ReaderPool: @unchecked Sendable {
    // Sendable: the array is used under the monitor only, whose lock, unlike that of `Mutex`, the thread sanitizer can
    // see. The rest is atomic.
    private let monitor = Monitor()
    private var slots: [ReaderSlot] = []
    /// The slot that was returned last, owned, where none was before: a thread that reads alone locks nothing.
    private let first = unsafe Atomic<UnsafeRawPointer?>(nil)

    /// The most transactions that are kept, beside the first.
    static let limit = 15

    /// Removes and returns a reset transaction, or nil when none waits.
    func acquire() -> ReaderSlot? {
        takeFirst() ?? monitor.locked { slots.popLast() }
    }

    private func takeFirst() -> ReaderSlot? {
        // `release` has put it there, and the exchange makes the caller its only owner.
        unsafe first.exchange(nil, ordering: .acquiring).map { unsafe Unmanaged.fromOpaque($0).takeRetainedValue() }
    }

    /// Returns a reset transaction to the pool, or ends it when enough are waiting.
    ///
    /// Call it under the remap lock: ending a transaction after the environment has closed would touch freed memory.
    func release(_ slot: ReaderSlot) {
        let owned = unsafe Unmanaged.passRetained(slot)
        let (isFirst, _) = unsafe first.compareExchange(
            expected: nil, desired: UnsafeRawPointer(owned.toOpaque()), ordering: .releasing)
        if isFirst { return }
        // It has no other owner than the caller.
        unsafe owned.release()
        let isPooled = monitor.locked {
            guard slots.count < Self.limit else { return false }
            slots.append(slot)
            return true
        }
        if !isPooled { slot.end() }
    }

    /// Ends every waiting transaction and frees its reader slot.
    func drain() {
        takeFirst()?.end()
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
    // Sendable: with MDB_NOTLS a read transaction may move between threads, and the pool passes it to one at a time. The memo is used by
    // the thread that has it.
    let handle: OpaquePointer
    /// The plain values of the transaction; nil without a cipher and a decompressor.
    let plain: PlainValues?
    /// The object of ``ReadTransaction/memo(_:)``.
    var memo: AnyObject?

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
