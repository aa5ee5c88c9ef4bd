internal import LarderFormat
package import LarderStore

/// The snapshots that a run has to fetch, and those that it leaves for later.
package struct SnapshotOrders: Sendable {
    /// The snapshots to fetch, in the order in which they were requested.
    package let orders: [FullCopyOrder]
    /// The failures that are too recent for another attempt.
    package let held: [ResourceFailure]
    /// The attempts that failed in a row, for those of ``orders`` that failed before.
    let attempts: [ResourceKey: Int]

    /// The orders of a run; snapshots that failed recently are held back, unless the run was requested manually.
    init(_ all: [FullCopyOrder], _ run: FilterRun, in view: borrowing ReadView, now: Int64) throws {
        var orders: [FullCopyOrder] = []
        var held: [ResourceFailure] = []
        var attempts: [ResourceKey: Int] = [:]
        for order in all {
            let failure = try view.readiness(of: order.resource)?.failure.flatMap { $0.isPassedOver ? nil : $0 }
            if let failure, !run.isByHand, failure.isHeldBack(now: now) {
                held.append(failure)
            } else {
                orders.append(order)
                attempts[order.resource] = failure?.attempts
            }
        }
        self.orders = orders
        self.held = held
        self.attempts = attempts
    }
}

/// The resources that changes have proven public although they are not stored, each with the last such change.
package struct PublicProofs: Sendable {
    private var changes: [ResourceKey: (sequence: Int64, changedAt: Int64?)] = [:]

    /// No proofs yet.
    package init() {}

    /// Whether there are no proofs.
    package var isEmpty: Bool { changes.isEmpty }

    /// Records a change of a resource that is not stored, above its applied sequence.
    mutating func note(_ resource: ResourceKey, _ mutation: Mutation) {
        changes[resource] = (mutation.sequence, mutation.changedAt)
    }

    /// Adds later proofs.
    mutating func merge(_ later: PublicProofs) { changes.merge(later.changes) { $1 } }

    /// Returns the snapshots to fetch: of resources that are still not stored, and were not withdrawn since.
    ///
    /// - Throws: ``SyncError/wire(_:request:)`` for a path that must not be requested; ``StoreError`` or
    ///   ``EngineError`` when the store fails.
    package func orders(_ run: FilterRun, in view: borrowing ReadView, now: Int64) throws -> SnapshotOrders {
        var orders: [FullCopyOrder] = []
        for resource in changes.keys.sorted() {
            guard let change = changes[resource], let known = try view.resource(resource),
                known.state == .hidden || known.state == .empty, known.applied < run.position(change.sequence),
                let path = known.fullCopyPath
            else { continue }
            orders.append(
                FullCopyOrder(
                    resource: resource, path: try ServerPath.of(path, .fullCopy), timeline: run.applied.timeline,
                    changeSequence: change.sequence, bound: .min, knownSchema: known.schemaVersion, run: run,
                    changedAt: change.changedAt))
        }
        return try SnapshotOrders(orders, run, in: view, now: now)
    }
}
