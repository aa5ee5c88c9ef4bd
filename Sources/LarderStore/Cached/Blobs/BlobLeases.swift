internal import LarderEngine
internal import Synchronization

/// The blobs that are held in this process, so that their chunks stay while they are read.
///
/// Blobs are named by numbers that are never used twice.
final class BlobLeases: SharedPart {
    private struct State {
        var counts: [Int64: Int] = [:]
        /// Held blobs that are garbage: to be removed when the last holder releases them.
        var pendingRemovals: Set<Int64> = []
        /// Blobs that an unfinished transaction is removing.
        var claimed: Set<Int64> = []
        /// Blobs whose writers were cancelled: to be discarded with the next commit.
        var abandoned: [Int64] = []
    }

    private let state = Mutex(State())
    private let path: String
    private let lock: UseLock

    init(_ file: FileContext) {
        path = file.environment.path
        lock = UseLock(Self.lockName, in: path)
    }

    /// Keeps other processes from treating blobs as abandoned, as long as the result lives. Call it before a blob is
    /// held or begun.
    func beginUse() -> BlobUse { BlobUse(lock) }

    /// Returns whether no process now reads or writes blobs, so that none needs blobs that were discarded or begun
    /// before.
    func isFree() throws(EngineError) -> Bool { try UseLock.isFree(Self.lockName, in: path) }

    static let lockName = "bodies.lock"

    /// Whether this process reads or writes blobs.
    var isInUse: Bool { lock.isInUse }

    /// Holds a blob; returns false when it is being removed.
    func acquire(_ blob: Int64) -> Bool {
        state.withLock { state in
            if state.claimed.contains(blob) { return false }
            state.counts[blob, default: 0] += 1
            return true
        }
    }

    /// Returns whether a blob is held.
    func isHeld(_ blob: Int64) -> Bool { state.withLock { $0.counts[blob] != nil } }

    /// Releases a blob; returns true when it is to be removed now.
    func release(_ blob: Int64) -> Bool {
        state.withLock { state in
            guard let count = state.counts[blob] else { preconditionFailure("blob \(blob) is not held") }
            if count > 1 {
                state.counts[blob] = count - 1
                return false
            }
            state.counts[blob] = nil
            return state.pendingRemovals.remove(blob) != nil
        }
    }

    /// Claims a discarded blob for removal; returns false when it is held, and its last release requests the removal.
    fileprivate func claim(_ blob: Int64) -> Bool {
        state.withLock { state in
            if state.counts[blob] != nil {
                state.pendingRemovals.insert(blob)
                return false
            }
            state.claimed.insert(blob)
            return true
        }
    }

    /// Ends all claims.
    fileprivate func endClaims() {
        state.withLock { $0.claimed.removeAll() }
    }

    /// The blobs whose writers were cancelled, since the last commit that has discarded such.
    var abandoned: [Int64] { state.withLock { $0.abandoned } }

    /// Records that the writer of a blob was cancelled.
    func abandon(_ blob: Int64) {
        state.withLock { $0.abandoned.append(blob) }
    }

    /// Removes the first `count` of the abandoned blobs, which a commit has discarded.
    func removeAbandoned(_ count: Int) {
        state.withLock { $0.abandoned.removeFirst(count) }
    }
}

/// The claims of one write transaction; they end with it, whether it commits or not.
private final class BlobClaims: CommitState {
    let leases: BlobLeases

    init(_ shared: SharedState) { leases = shared.leases }

    deinit { leases.endClaims() }
}

extension Transaction {
    /// Keeps a discarded blob from being held until this transaction has ended; returns false when it is held.
    func claimBlob(_ blob: Int64) -> Bool { state(BlobClaims.self).leases.claim(blob) }
}

extension SharedState {
    /// The blobs that are held in this process.
    var leases: BlobLeases { part(BlobLeases.self) }
}

/// A use of blobs by this process, which other processes can see.
final class BlobUse: Sendable {
    private let lock: UseLock

    fileprivate init(_ lock: UseLock) {
        self.lock = lock
        lock.begin()
    }

    deinit { lock.end() }
}
