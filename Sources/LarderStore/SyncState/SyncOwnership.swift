internal import LarderEngine
internal import Synchronization

/// The right to sync a store's filters, which one process has while any of its runs is under way.
///
/// Two processes that bootstrapped a filter at the same time would each treat the other's run as interrupted, and fetch
/// everything. The system releases the lock when the process dies.
final class SyncOwnership: SharedPart {
    static let lockName = "sync.lock"

    private let state = Mutex<(runs: Int, lock: OwnerLock?)>((0, nil))

    init(_ file: FileContext) {}

    /// Whether a run is under way in this process.
    var isHeld: Bool { state.withLock { $0.lock != nil } }

    /// Counts a run; returns false while another process has the right.
    fileprivate func begin(in path: String) throws -> Bool {
        try state.withLock { state in
            if state.runs == 0 { state.lock = try OwnerLock.acquire(Self.lockName, in: path) }
            if state.lock == nil { return false }
            state.runs += 1
            return true
        }
    }

    fileprivate func end() {
        state.withLock { state in
            state.runs -= 1
            if state.runs == 0 { state.lock = nil }
        }
    }
}

extension Store {
    /// Begins a run over a filter; returns false while another process syncs the store. Each run that began ends with
    /// ``endSyncing()``.
    ///
    /// - Throws: ``EngineError`` when the store is closed or read-only, or the lock file cannot be used;
    ///   ``StoreError/readOnlyFormat``.
    package func beginSyncing() throws -> Bool {
        try checkWritable()
        return try shared.part(SyncOwnership.self).begin(in: path)
    }

    /// Ends a run.
    package func endSyncing() { shared.part(SyncOwnership.self).end() }
}
