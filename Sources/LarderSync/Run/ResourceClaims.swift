internal import LarderFormat
internal import Synchronization

/// Whose turn it is to fetch a resource's full copy: one filter's at a time, first come, first served.
///
/// Filters that overlap would else fetch the same copy beside each other; the next in line may find its order settled.
final class ResourceClaims: Sendable {
    private struct State {
        var waiters: [ResourceKey: [(ticket: Int, continuation: CheckedContinuation<Bool, Never>)]] = [:]
        var nextTicket = 0
        var cancelled: Set<Int> = []
    }

    /// The right to fetch one resource's copy, until it is released.
    struct Claim: Sendable {
        fileprivate let claims: ResourceClaims
        fileprivate let resource: ResourceKey

        /// Gives the right to the next in line; called once.
        func release() { claims.release(resource) }
    }

    private let state = Mutex(State())

    /// Waits for the turn.
    func claim(_ resource: ResourceKey) async throws(CancellationError) -> Claim {
        let ticket = state.withLock { state -> Int? in
            if state.waiters[resource] == nil {
                state.waiters[resource] = []
                return nil
            }
            state.nextTicket += 1
            return state.nextTicket
        }
        guard let ticket else { return Claim(claims: self, resource: resource) }
        let isMine = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
                if let known = enter(resource, ticket, continuation) { continuation.resume(returning: known) }
            }
        } onCancel: {
            leave(resource, ticket)
        }
        state.withLock { _ = $0.cancelled.remove(ticket) }
        if !isMine { throw CancellationError() }
        return Claim(claims: self, resource: resource)
    }

    /// Joins the line; at once the answer, when the turn came or the wait was cancelled in between.
    private func enter(
        _ resource: ResourceKey, _ ticket: Int, _ continuation: CheckedContinuation<Bool, Never>
    ) -> Bool? {
        state.withLock { state in
            if state.cancelled.remove(ticket) != nil { return false }
            if state.waiters[resource] == nil {
                state.waiters[resource] = []
                return true
            }
            state.waiters[resource]?.append((ticket, continuation))
            return nil
        }
    }

    private func leave(_ resource: ResourceKey, _ ticket: Int) {
        let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard let index = state.waiters[resource]?.firstIndex(where: { $0.ticket == ticket }) else {
                state.cancelled.insert(ticket)
                return nil
            }
            return state.waiters[resource]?.remove(at: index).continuation
        }
        waiter?.resume(returning: false)
    }

    private func release(_ resource: ResourceKey) {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            if state.waiters[resource]?.isEmpty != false {
                state.waiters[resource] = nil
                return nil
            }
            return state.waiters[resource]?.removeFirst().continuation
        }
        next?.resume(returning: true)
    }
}
