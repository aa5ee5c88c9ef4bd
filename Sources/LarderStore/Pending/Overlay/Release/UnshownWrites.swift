public import LarderFormat

/// A write that the server accepted long ago and syncing has not delivered; until then its overlay stays over the row.
///
/// The server reported another sequence in its response than the one under which it publishes the change, or it never
/// publishes the change.
public struct UnshownWrite: Hashable, Sendable {
    /// The row that shows it.
    public let row: RowKey
    /// The identity of its outbox entry.
    public let entryID: UUIDBytes?
    /// The server's sequence of the write, where its response reported one.
    public let serverSequence: Int64?
    /// When it was accepted, in milliseconds since 1970-01-01 UTC; a later time where the journal no longer has that.
    public let acceptedAt: Int64
}

extension ReadView {
    /// The default age of ``unshownWrites(after:)``, in milliseconds: one day.
    public static var unshownAge: Int64 { 86_400_000 }

    /// Returns the accepted writes that are still overlays although a filter of their resource has finished a run long
    /// after.
    ///
    /// - Parameter age: how long after the acceptance that run has to end, in milliseconds.
    /// - Throws: ``StoreError/damaged(table:reason:)``.
    /// - Complexity: one lookup for each member of each filter, if any row has a confirmed overlay.
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
