/// The right to write a generation, which one snapshot has at a time, first come, first served.
///
/// Generations written at once interleave their keys and leave pages two thirds full; the others wait, and their
/// transfers with them.
final class StagingSlot: SharedPart {
    private let turns = TurnQueue<Int>()

    init(_ file: OpenFile) {}

    /// Waits for the slot.
    func acquire() async throws(CancellationError) {
        if await !turns.acquire(0) { throw CancellationError() }
    }

    /// Takes the slot if it is free, without waiting.
    func tryAcquire() -> Bool { turns.tryAcquire(0) }

    /// Gives the slot to the next in line.
    func release() { turns.release(0) }
}

extension SharedState {
    /// The right to write a generation of the file.
    var stagingSlot: StagingSlot { part(StagingSlot.self) }
}
