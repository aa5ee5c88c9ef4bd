internal import Synchronization

/// The right to write rows of a generation, which one snapshot has at a time, first come, first served.
///
/// Generations written at once interleave their keys and leave pages half full, so a snapshot keeps the slot between
/// its rows. The first rows after 20 seconds release it: a slow server then does not delay all other snapshots.
final class StagingSlot: SharedPart {
    /// The time after which a snapshot releases the slot. Servers close connections from which nothing is read for a
    /// minute.
    static let timeSlice = Duration.seconds(20)

    private struct Holder {
        let generation: Int64
        let since: Duration
    }

    private let semaphore = KeyedSemaphore<Int>()
    private let holder = Mutex<Holder?>(nil)
    private let abandonedStagings = Mutex<[Staging]>([])

    init(_ file: FileContext) {}

    /// Waits for the slot, for a generation that is about to be begun.
    func acquire() async throws(CancellationError) {
        if await !semaphore.acquire(0) { throw CancellationError() }
    }

    /// Assigns the acquired slot to a generation.
    func assign(to generation: Int64, at now: Duration) {
        holder.withLock { $0 = Holder(generation: generation, since: now) }
    }

    /// Whether a generation has the slot.
    func isHeld(by generation: Int64) -> Bool { holder.withLock { $0?.generation == generation } }

    /// Releases the slot to the next waiter if a generation has it, and has had it since `time` or longer.
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

    /// Releases the slot to the next waiter when no generation was begun.
    func release() { semaphore.release(0) }

    /// Abandoned snapshots, which no commit has discarded yet because one failed.
    var abandoned: [Staging] { abandonedStagings.withLock { $0 } }

    /// Records a snapshot to be discarded after the next commit that succeeds.
    func abandon(_ staging: Staging) { abandonedStagings.withLock { $0.append(staging) } }

    /// Forgets the first of the abandoned snapshots, which a commit has discarded.
    func removeAbandoned(_ count: Int) { abandonedStagings.withLock { $0.removeFirst(count) } }
}

extension SharedState {
    /// The right to write rows of a generation of the file.
    var stagingSlot: StagingSlot { part(StagingSlot.self) }
}
