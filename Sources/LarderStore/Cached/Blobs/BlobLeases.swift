internal import LarderEngine
internal import Synchronization

/// Which blobs somebody in this process holds, so that their chunks stay while they are read.
///
/// Blobs are named by numbers that are never used twice.
final class BlobLeases: SharedPart {
    private struct State {
        var counts: [Int64: Int] = [:]
        /// Held, and garbage: to be removed when the last holder lets go.
        var awaited: Set<Int64> = []
        /// Being removed by a transaction that has not ended.
        var condemned: Set<Int64> = []
        /// Whose writers gave up; to be given up with the next commit.
        var abandoned: [Int64] = []
    }

    private let state = Mutex(State())
    private let path: String
    private let lock: UseLock

    init(_ file: OpenFile) {
        path = file.environment.path
        lock = UseLock(Self.lockName, in: path)
    }

    /// Keeps other processes from taking blobs for left, as long as the result lives; to be begun before a blob is held
    /// or begun.
    func use() -> BlobUse { BlobUse(lock) }

    /// Whether no process reads or writes blobs at this moment, so that none needs those which were given up, or were being
    /// written, before.
    func isFree() throws(EngineError) -> Bool { try UseLock.isFree(Self.lockName, in: path) }

    private static let lockName = "bodies.lock"

    /// Holds a blob; false when it is being removed.
    func take(_ blob: Int64) -> Bool {
        state.withLock { state in
            if state.condemned.contains(blob) { return false }
            state.counts[blob, default: 0] += 1
            return true
        }
    }

    /// Whether somebody holds a blob.
    func isHeld(_ blob: Int64) -> Bool { state.withLock { $0.counts[blob] != nil } }

    /// Lets go of a blob; true when somebody waits for that to remove it.
    func release(_ blob: Int64) -> Bool {
        state.withLock { state in
            guard let count = state.counts[blob] else { preconditionFailure("blob \(blob) is not held") }
            if count > 1 {
                state.counts[blob] = count - 1
                return false
            }
            state.counts[blob] = nil
            return state.awaited.remove(blob) != nil
        }
    }

    /// Claims a blob that was given up for removal; false when it is held, and its last holder will say so.
    fileprivate func condemn(_ blob: Int64) -> Bool {
        state.withLock { state in
            if state.counts[blob] != nil {
                state.awaited.insert(blob)
                return false
            }
            state.condemned.insert(blob)
            return true
        }
    }

    /// Ends all claims.
    fileprivate func absolve() {
        state.withLock { $0.condemned.removeAll() }
    }

    /// Blobs whose writers gave up, since the last commit that has entered such.
    var abandoned: [Int64] { state.withLock { $0.abandoned } }

    /// Notes that the writer of a blob gave up.
    func abandon(_ blob: Int64) {
        state.withLock { $0.abandoned.append(blob) }
    }

    /// Forgets the first of the abandoned blobs, which a commit has entered.
    func forgetAbandoned(_ count: Int) {
        state.withLock { $0.abandoned.removeFirst(count) }
    }
}

/// The claims of one write transaction; they end with it, whatever becomes of it.
private final class BlobClaims: CommitState {
    let leases: BlobLeases

    init(_ shared: SharedState) { leases = shared.leases }

    deinit { leases.absolve() }
}

extension Transaction {
    /// Keeps a blob that was given up from being held until this transaction has ended; false when it is held.
    func claim(_ blob: Int64) -> Bool { state(BlobClaims.self).leases.condemn(blob) }
}

extension SharedState {
    /// The readers of blobs, by blob.
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
