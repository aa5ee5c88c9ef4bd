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

    /// Whether no process reads or writes blobs at this moment, so that those which were garbage or staging before are
    /// left.
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

    /// Claims a garbage blob for removal; false when it is held, and its last holder will say so.
    ///
    /// A claim ends with ``absolve(_:)``.
    func condemn(_ blob: Int64) -> Bool {
        state.withLock { state in
            if state.counts[blob] != nil {
                state.awaited.insert(blob)
                return false
            }
            state.condemned.insert(blob)
            return true
        }
    }

    /// Ends a claim: the transaction that was to remove the blob has ended.
    func absolve(_ blob: Int64) {
        state.withLock { _ = $0.condemned.remove(blob) }
    }
}

extension SharedState {
    /// Who reads which blob.
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
