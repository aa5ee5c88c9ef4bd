#if Postgres
import LarderServer
internal import Synchronization

/// The pages of first syncs that this process gives to all clients for some seconds.
///
/// Clients that begin together then have one bound, and request the same versions of snapshots.
final class BootstrapPages: Sendable {
    /// The most pages that are kept; others are read again.
    private static let limit = 1000

    private struct State {
        var bound: Int64?
        var epoch: Int64 = 0
        var expiry = Int64.min
        var pages: [OriginQuery: OriginPage] = [:]
    }

    private let milliseconds: Int64
    private let state = Mutex(State())

    init(milliseconds: Int64) {
        precondition(milliseconds >= 0, "\(milliseconds) ms is no time")
        self.milliseconds = milliseconds
    }

    /// Whether the pages are not too old; a clock that was moved back by more than that says nothing of their age.
    private func isValid(_ state: State, at now: Int64) -> Bool {
        now < state.expiry && state.expiry - now <= milliseconds
    }

    /// Forgets the pages, whose tokens are not valid any more.
    func clear() { state.withLock { $0 = State() } }

    /// Returns the page that another client got.
    func page(of query: OriginQuery, at now: Int64) -> OriginPage? {
        state.withLock { isValid($0, at: now) ? $0.pages[query] : nil }
    }

    /// Returns the bound of first syncs that begin now: that of earlier ones for some time, or else the head's.
    func bound(after head: SyncHead, at now: Int64) -> Int64 {
        state.withLock { state in
            if let bound = state.bound, isValid(state, at: now), state.epoch == head.epoch,
                bound >= head.removedThrough, bound <= head.sequence
            {
                return bound
            }
            state = State(bound: head.sequence, epoch: head.epoch, expiry: now + milliseconds)
            return head.sequence
        }
    }

    /// Keeps the first page of a first sync.
    func keep(_ page: OriginPage, of query: OriginQuery) {
        guard case .bootstrap = query.start else { return }
        state.withLock { state in
            if page.bound == state.bound, state.pages.count < Self.limit { state.pages[query] = page }
        }
    }
}
#endif
