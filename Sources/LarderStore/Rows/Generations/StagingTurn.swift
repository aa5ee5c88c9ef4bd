internal import Synchronization

/// The right to write rows of a generation, which one snapshot has at a time, first come, first served.
///
/// Writing to two generations alternately leaves pages half full, so a snapshot keeps its turn between its rows. The
/// first rows after 20 seconds end the turn: a slow server then does not delay all other snapshots.
final class StagingTurn: SharedPart {
    /// The time after which a snapshot ends its turn. Servers close connections from which nothing is read for a
    /// minute.
    static let timeSlice = Duration.seconds(20)

    private struct Holder {
        let generation: Int64
        let since: Duration
    }

    /// The snapshots that share a turn, each written in one commit.
    private struct Sharing {
        var count = 0
        var since = Duration.zero
    }

    private let semaphore = KeyedSemaphore<Int>()
    private let holder = Mutex<Holder?>(nil)
    private let sharing = Mutex(Sharing())
    private let abandonedStagings = Mutex<[Staging]>([])

    init(_ file: FileContext) {}

    /// Waits for the turn of a generation that is about to be begun.
    func acquire() async throws(CancellationError) {
        if await !semaphore.acquire(0) { throw CancellationError() }
    }

    /// Assigns the acquired turn to a generation.
    func assign(to generation: Int64, at now: Duration) {
        holder.withLock { $0 = Holder(generation: generation, since: now) }
    }

    /// Whether it is the turn of a generation.
    func isHeld(by generation: Int64) -> Bool { holder.withLock { $0?.generation == generation } }

    /// Gives the next waiter its turn if a generation has the turn, and has had it since `time` or longer.
    func release(_ generation: Int64, heldSince time: Duration? = nil) {
        let isReleased = holder.withLock { holder in
            guard let current = holder, current.generation == generation, time.map({ current.since <= $0 }) ?? true
            else {
                return false
            }
            holder = nil
            return true
        }
        if isReleased { release() }
    }

    /// Gives the next waiter its turn when no generation was begun.
    func release() { semaphore.release(0) }

    /// Waits for a turn that is shared with other snapshots of which each is written in one commit. A turn that
    /// began 20 seconds ago is not joined.
    func join(at now: () -> Duration) async throws(CancellationError) {
        let start = now()
        let isJoined = sharing.withLock { sharing in
            guard sharing.count > 0, sharing.since > start - Self.timeSlice else { return false }
            sharing.count += 1
            return true
        }
        if isJoined { return }
        try await acquire()
        let since = now()
        sharing.withLock { $0 = Sharing(count: 1, since: since) }
    }

    /// Leaves a shared turn, which ends with the last one in it.
    func leave() {
        let isEnded = sharing.withLock { sharing in
            sharing.count -= 1
            return sharing.count == 0
        }
        if isEnded { release() }
    }

    /// Abandoned snapshots, which no commit has discarded yet because one failed.
    var abandoned: [Staging] { abandonedStagings.withLock { $0 } }

    /// Records a snapshot to be discarded after the next commit that succeeds.
    func abandon(_ staging: Staging) { abandonedStagings.withLock { $0.append(staging) } }

    /// Forgets the first of the abandoned snapshots, which a commit has discarded.
    func removeAbandoned(_ count: Int) { abandonedStagings.withLock { $0.removeFirst(count) } }
}

extension SharedState {
    /// The right to write rows of a generation of the file.
    var stagingTurn: StagingTurn { part(StagingTurn.self) }
}
