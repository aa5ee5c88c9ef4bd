public import LarderFormat

/// A write that the server accepted long ago and that syncing has not brought: what it did lies over the row until it does.
///
/// The server names another sequence in its answer than the one under which it publishes the change, or never publishes it.
public struct UnshownWrite: Hashable, Sendable {
    /// The row that shows it.
    public let row: RowKey
    /// The entry of the outbox that it was.
    public let entryID: UUIDBytes?
    /// The server's sequence of it, where its answer named one.
    public let serverSequence: Int64?
    /// When it was accepted, in milliseconds since 1970-01-01 UTC; where that is not journaled any more, a time after it.
    public let acceptedAt: Int64
}

extension ReadView {
    /// How much later than the acceptance of a write the run of a filter ends that should have brought it, in milliseconds: a day.
    public static var unshownAge: Int64 { 86_400_000 }

    /// The accepted writes that still lie over rows although a filter that holds these has finished a run long after.
    ///
    /// - Parameter age: how long after, in milliseconds.
    /// - Throws: ``StoreError/damaged(table:reason:)``.
    /// - Complexity: where any accepted write lies over a row, a lookup for each member of each filter.
    public borrowing func unshownWrites(after age: Int64 = unshownAge) throws -> [UnshownWrite] {
        guard try hasConfirmedOverlays() else { return [] }
        let outcomes = try outboxOutcomes()
        let acceptances = Dictionary(outcomes.map { ($0.id, $0.time) }) { $1 }
        var found: [UnshownWrite] = []
        for filter in try readableFilters() {
            guard let synced = filter.tokenUpdatedAt else { continue }
            for key in filter.members {
                // An evicted or withdrawn resource has no rows that could be shown instead.
                guard let resource = try resource(key), resource.overlayCount > 0, resource.state == .ready else {
                    continue
                }
                for overlay in try overlays(of: key) where overlay.isConfirmed {
                    guard let time = overlay.entryID.flatMap({ acceptances[$0] }) ?? outcomes.first?.time else {
                        continue
                    }
                    let (later, overflows) = synced.subtractingReportingOverflow(time)
                    let write = UnshownWrite(
                        row: overlay.key, entryID: overlay.entryID, serverSequence: overlay.serverSequence,
                        acceptedAt: time)
                    if !overflows, later > age, !found.contains(write) { found.append(write) }
                }
            }
        }
        return found
    }
}
