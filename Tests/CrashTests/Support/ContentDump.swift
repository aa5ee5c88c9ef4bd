// ContentDump: what a store holds, but for numbers that count how it came to hold it.

import CrashWorld
import LarderFormat
import LarderStore

/// What a store holds, but for numbers that count how it came to hold it.
struct ContentDump: Equatable {
    var resources: [String] = []
    var rows: [ResourceKey: [String: [UInt8]]] = [:]
    var filters: [String] = []
    var outbox: [String] = []

    init(_ store: Store) throws {
        try store.read { view in
            for resource in try view.allResources() {
                resources.append(
                    "\(resource.key) \(resource.state) \(resource.appliedSequence) \(resource.rowCount) \(resource.byteCount) "
                        + "\(resource.snapshotPath ?? "-") \(resource.changedAt ?? 0) \(resource.schemaVersion ?? 0)")
                let found = try view.rows(in: .all(of: resource.key))
                rows[resource.key] = Dictionary(
                    found.map { ("\($0.key.type) \($0.key.key)", $0.payload) }, uniquingKeysWith: { $1 })
            }
            filters = try view.filters().map { state in
                "\(state.filter) \(state.token ?? "-") \(state.lastUntilSequence ?? -1) \(state.isBootstrapping) "
                    + "\(state.isRejected) \(state.members)"
            }
            outbox =
                try view.outboxEntries().map { "\($0.lane) \($0.sequence) \($0.id) \($0.payload)" }
                + view.outboxOutcomes().map { "\($0.lane) \($0.sequence) \($0.id) \($0.outcome)" }
        }
    }
}
