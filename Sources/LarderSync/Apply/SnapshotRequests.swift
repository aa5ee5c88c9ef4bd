internal import LarderFormat
package import LarderStore

/// The snapshots that a run has to fetch, and those that it leaves for later.
package struct SnapshotRequests: Sendable {
    /// The snapshots to fetch, in the order in which they were requested.
    package let requests: [SnapshotRequest]
    /// The failures that are too recent for another attempt.
    package let heldBack: [ResourceFailure]
    /// The attempts that failed in a row, for those of ``requests`` that failed before.
    let attempts: [ResourceKey: Int]

    /// The requests of a run; snapshots that failed recently are held back, unless the run was requested manually.
    init(_ all: [SnapshotRequest], _ run: FilterRun, in view: borrowing ReadView, now: Int64) throws {
        var requests: [SnapshotRequest] = []
        var heldBack: [ResourceFailure] = []
        var attempts: [ResourceKey: Int] = [:]
        for request in all {
            let failure = try view.readiness(of: request.resource)?.failure.flatMap { $0.isSkipped ? nil : $0 }
            if let failure, !run.isManual, failure.isBackingOff(now: now) {
                heldBack.append(failure)
            } else {
                requests.append(request)
                attempts[request.resource] = failure?.attempts
            }
        }
        self.requests = requests
        self.heldBack = heldBack
        self.attempts = attempts
    }
}

/// The resources that changes have proven public although they are not stored, each with the last such change.
package struct UnstoredResources: Sendable {
    private var changes: [ResourceKey: (sequence: Int64, changedAt: Int64?)] = [:]

    /// No proofs yet.
    package init() {}

    /// Whether there are no proofs.
    package var isEmpty: Bool { changes.isEmpty }

    /// Records a change of a resource that is not stored, above its applied sequence.
    mutating func add(_ resource: ResourceKey, _ mutation: Mutation) {
        changes[resource] = (mutation.sequence, mutation.changedAt)
    }

    /// Adds later proofs.
    mutating func merge(_ later: UnstoredResources) { changes.merge(later.changes) { $1 } }

    /// Returns the snapshots to fetch: of resources that are still not stored, and were not hidden since.
    ///
    /// - Throws: ``SyncError/wire(_:request:)`` for a path that must not be requested; ``StoreError`` or
    ///   ``EngineError`` when the store fails.
    package func requests(_ run: FilterRun, in view: borrowing ReadView, now: Int64) throws -> SnapshotRequests {
        var requests: [SnapshotRequest] = []
        for resource in changes.keys.sorted() {
            guard let change = changes[resource], let known = try view.resource(resource),
                known.state == .hidden || known.state == .empty, known.applied < run.position(change.sequence),
                let path = known.snapshotPath
            else { continue }
            requests.append(
                SnapshotRequest(
                    resource: resource, path: try ServerPath.parse(path, .snapshot), timeline: run.applied.timeline,
                    changeSequence: change.sequence, bound: .min, knownSchema: known.schemaVersion, run: run,
                    changedAt: change.changedAt))
        }
        return try SnapshotRequests(requests, run, in: view, now: now)
    }
}
