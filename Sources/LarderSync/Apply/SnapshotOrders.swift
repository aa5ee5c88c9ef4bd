internal import LarderFormat
package import LarderStore

/// The snapshots that a run has to fetch, and those that it leaves for later.
package struct SnapshotOrders: Sendable {
    /// In the order in which they were asked for.
    package let orders: [FullCopyOrder]
    /// What failed so lately that it is too early for another attempt.
    package let held: [ResourceFailure]
    /// Those of ``orders`` that failed before, with the attempts that failed in a row.
    let attempts: [ResourceKey: Int]

    /// Holds back those that failed lately, unless a person asked for the run.
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

/// Resources that changes have proven public although they are not here, each with the last such change.
package struct PublicProofs: Sendable {
    private var changes: [ResourceKey: (sequence: Int64, changedAt: Int64?)] = [:]

    /// Nothing yet.
    package init() {}

    package var isEmpty: Bool { changes.isEmpty }

    /// Notes a change of a resource that is not here, above its applied sequence.
    mutating func note(_ resource: ResourceKey, _ mutation: Mutation) {
        changes[resource] = (mutation.sequence, mutation.changedAt)
    }

    /// Adds those that came later.
    mutating func merge(_ later: PublicProofs) { changes.merge(later.changes) { $1 } }

    /// The snapshots to fetch: of what is still not here, and was not withdrawn since.
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
