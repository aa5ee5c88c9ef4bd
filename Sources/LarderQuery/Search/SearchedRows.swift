internal import LarderFormat
internal import LarderStore

/// The identity of a resource's rows in a read view: equal stamps mean equal rows.
struct RowStamp: Equatable {
    let generation: Int64
    /// The digest and the count of the rows of the generation, of whatever type.
    let digest: UInt64
    let count: Int64

    /// The stamp of a resource that shows no rows of the server: generation 0 is never used.
    static let none = RowStamp(generation: 0, digest: 0, count: 0)
}

/// The rows of one resource in a read view.
struct SearchedRows {
    let resource: ResourceKey
    let stamp: RowStamp
    /// The rows as local writes change them, which the digest does not cover.
    let overlays: [OverlaidRow]

    init(of resource: ResourceKey, type: String, _ view: borrowing ReadView) throws {
        self.resource = resource
        stamp =
            try view.visibleGeneration(of: resource).map { shown in
                RowStamp(generation: shown.number, digest: shown.record.digest, count: shown.record.rowCount)
            } ?? .none
        let hasOverlays = try view.resource(resource)?.overlayCount ?? 0 > 0
        overlays = hasOverlays ? try view.overlaidRows(of: resource, type: type) : []
    }
}
