internal import Synchronization

/// The right to write a generation, which one full copy has at a time.
///
/// Generations written at once interleave their keys and leave pages two thirds full; the others wait, and their
/// transfers with them.
final class StagingSlot: SharedPart {
    private struct State {
        var isTaken = false
        var nextTicket = 0
        var waiters: [(ticket: Int, continuation: CheckedContinuation<Bool, Never>)] = []
        var cancelled: Set<Int> = []
    }

    private let state = Mutex(State())

    init(_ file: OpenFile) {}

    /// Waits for the slot, first come, first served.
    func acquire() async throws(CancellationError) {
        let ticket = state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        let isAcquired = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
                let known = state.withLock { state -> Bool? in
                    if state.cancelled.remove(ticket) != nil { return false }
                    if state.isTaken {
                        state.waiters.append((ticket, continuation))
                        return nil
                    }
                    state.isTaken = true
                    return true
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
                guard let index = state.waiters.firstIndex(where: { $0.ticket == ticket }) else {
                    state.cancelled.insert(ticket)
                    return nil
                }
                return state.waiters.remove(at: index).continuation
            }
            waiter?.resume(returning: false)
        }
        state.withLock { _ = $0.cancelled.remove(ticket) }
        if !isAcquired { throw CancellationError() }
    }

    /// Takes the slot if it is free, without waiting.
    func tryAcquire() -> Bool {
        state.withLock { state in
            defer { state.isTaken = true }
            return !state.isTaken
        }
    }

    /// Gives the slot to the next in line.
    func release() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            if state.waiters.isEmpty {
                state.isTaken = false
                return nil
            }
            return state.waiters.removeFirst().continuation
        }
        next?.resume(returning: true)
    }
}

extension SharedState {
    /// The right to write a generation of the file.
    var stagingSlot: StagingSlot { part(StagingSlot.self) }
}
