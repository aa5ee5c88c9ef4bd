internal import LarderEngine
internal import Logging
internal import Synchronization

/// Checks the confirmed overlays that a commit leaves, in the background, in short commits that let other writes go
/// first.
///
/// Its orders are in memory only: after the next open, all confirmed overlays are checked.
final class Releaser: SharedPart {
    /// The most rows that one of its commits checks: some milliseconds when all of them are released.
    static let rowLimit = 64

    private struct State {
        var orders = ReleaseOrders()
        var isRunning = false
    }

    private let host: HostServices
    private let state = Mutex(State())

    init(_ file: FileContext) { host = file.host }

    /// Schedules the checks that `orders` name.
    func add(_ orders: ReleaseOrders, in shared: SharedState) {
        if orders.isEmpty { return }
        let isIdle = state.withLock { state in
            state.orders.add(orders)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if isIdle { schedule(in: shared) }
    }

    private func schedule(in shared: SharedState) {
        do throws(EngineError) {
            try shared.environment.onWriterInBackground { self.step(in: shared) }
        } catch {
            // The store is closing; the next open checks everything.
            state.withLock { $0 = State() }
            host.logger.debug("local writes are left to the next open", metadata: ["error": "\(error)"])
        }
    }

    /// Carries out one order in one commit, on the writer thread.
    private func step(in shared: SharedState) {
        if let order = state.withLock({ $0.orders.popFirst() }) {
            do {
                let rest = try shared.transact(durability: .relaxed, isBulk: true) { transaction in
                    try transaction.releaseOverlays(order, limit: Self.rowLimit).rest
                }
                if let rest { state.withLock { $0.orders.add(rest) } }
            } catch {
                host.logger.warning("could not release local writes", metadata: ["error": "\(error)"])
                // The order is carried out with the next one; the end of a run and the next open check its overlays
                // too.
                return state.withLock { state in
                    state.orders.add(order)
                    state.isRunning = false
                }
            }
        }
        let isDone = state.withLock { state in
            state.isRunning = !state.orders.isEmpty
            return !state.isRunning
        }
        if !isDone { schedule(in: shared) }
    }
}

/// The orders that a transaction leaves to later commits.
final class RemainingReleases: CommitState {
    var orders = ReleaseOrders()

    init(_ shared: SharedState) {}
}

extension Releaser: CommitParticipant {
    func complete(_ transaction: inout Transaction) throws { try transaction.releaseOverlays() }

    func didCommit(_ effects: CommitEffects, in shared: SharedState) {
        if let remaining = effects.states.existing(RemainingReleases.self) { add(remaining.orders, in: shared) }
    }

    /// Schedules a check of all confirmed overlays: the process that was to release some, or was in a pass over their
    /// list, has ended.
    func recover(_ store: Store, from look: OpeningState) {
        do {
            guard try store.read({ view in try view.hasConfirmedOverlays() }) else { return }
            var orders = ReleaseOrders()
            orders.add(look.isExclusive ? .everything : .everythingWithOtherProcesses)
            add(orders, in: store.shared)
        } catch {
            host.logger.warning("could not release local writes", metadata: ["error": "\(error)"])
        }
    }
}

extension SharedState {
    /// The part that checks the confirmed overlays that a commit leaves.
    var releaser: Releaser { part(Releaser.self) }
}
