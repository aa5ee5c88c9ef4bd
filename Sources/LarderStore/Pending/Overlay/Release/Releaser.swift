internal import LarderEngine
internal import Logging
internal import Synchronization

/// Looks behind the callers' backs at what a commit leaves of confirmed overlays, in short commits that let other writes
/// go first.
///
/// In memory only: what it has not come to when the process ends is looked at after the next open, all that there is.
final class Releaser: SharedPart {
    /// The most rows that one of its commits looks at: some milliseconds when each of them is released.
    static let mostRows = 64

    private struct State {
        var orders = ReleaseOrders()
        var isRunning = false
    }

    private let host: HostServices
    private let state = Mutex(State())

    init(_ file: OpenFile) { host = file.host }

    /// Has looked at what `orders` name.
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
            try shared.environment.onWriter(isBulk: true) { self.step(in: shared) }
        } catch {
            // The store is closing; the next open looks at everything.
            state.withLock { $0 = State() }
            host.logger.debug("local writes are left to the next open", metadata: ["error": "\(error)"])
        }
    }

    /// One commit; on the writer thread.
    private func step(in shared: SharedState) {
        if let order = state.withLock({ $0.orders.popFirst() }) {
            do {
                let rest = try shared.transact(durability: .relaxed, isBulk: true) { transaction in
                    try transaction.settle(order, most: Self.mostRows).rest
                }
                if let rest { state.withLock { $0.orders.add(rest) } }
            } catch {
                host.logger.warning("could not release local writes", metadata: ["error": "\(error)"])
                // Tried again with the next order, or found by the end of a run or the next open.
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

/// The orders that a transaction has left to commits after it.
final class LeftReleases: CommitState {
    var orders = ReleaseOrders()

    init(_ shared: SharedState) {}
}

extension Releaser: CommitStage {
    func complete(_ transaction: inout Transaction) throws { try transaction.settle() }

    func committed(_ effects: CommitEffects, in shared: SharedState) {
        if let left = effects.states.known(LeftReleases.self) { add(left.orders, in: shared) }
    }

    /// Has all confirmed overlays looked at: the process that was to release some, or walked a list beneath them, is gone.
    func recover(_ store: Store, from look: OpeningLook) {
        do {
            guard try store.read({ view in try view.hasConfirmedOverlays() }) else { return }
            var orders = ReleaseOrders()
            orders.add(look.isAlone ? .everything : .everythingBesideOthers)
            add(orders, in: store.shared)
        } catch {
            host.logger.warning("could not release local writes", metadata: ["error": "\(error)"])
        }
    }
}

extension SharedState {
    /// Looks at the confirmed overlays that a commit has left.
    var releaser: Releaser { part(Releaser.self) }
}
