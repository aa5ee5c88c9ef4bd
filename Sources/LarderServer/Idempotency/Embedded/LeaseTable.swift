import Synchronization

/// The leases of this process, by key.
///
/// They are in memory only. A lease that ends with its process costs nothing: nothing of it was committed, and the
/// client's retry runs at once.
final class LeaseTable: Sendable {
    private struct State {
        var leases: [IdempotencyKey: (lease: IdempotencyLease, end: Int64)] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Leases `key`, or reports that another request holds it.
    func acquire(
        _ key: IdempotencyKey, for fingerprint: RequestFingerprint, at now: Int64, end: Int64
    ) -> IdempotencyClaim {
        state.withLock { state in
            if let (current, end) = state.leases[key], now < end {
                return current.fingerprint == fingerprint ? .running(retryAfter: 1) : .mismatch
            }
            state.lastNumber += 1
            let lease = IdempotencyLease(key: key, fingerprint: fingerprint, number: state.lastNumber)
            state.leases[key] = (lease, end)
            return .run(lease)
        }
    }

    /// Ends `lease`, unless another one has replaced it.
    func release(_ lease: IdempotencyLease) {
        state.withLock { state in
            if state.leases[lease.key]?.lease == lease { state.leases[lease.key] = nil }
        }
    }

    /// The number of leases that have not ended.
    var count: Int { state.withLock { $0.leases.count } }
}
