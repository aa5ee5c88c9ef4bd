internal import LarderFormat
internal import LarderStore

/// Which rows of a resource those of a snapshot are: equal stamps mean equal rows.
struct RowStamp: Equatable {
    let generation: Int64
    /// Digest and count of the rows of the generation, of whatever type.
    let digest: UInt64
    let count: Int64

    /// Of a resource that shows no rows of the server: generation 0 is never used.
    static let none = RowStamp(generation: 0, digest: 0, count: 0)
}

/// The rows of one resource, as a snapshot has them.
struct SearchedRows {
    let resource: ResourceKey
    let stamp: RowStamp
    /// What local writes make of rows, which the digest does not cover.
    let overlays: [OverlaidRow]

    init(of resource: ResourceKey, type: String, _ view: borrowing ReadView) throws {
        self.resource = resource
        stamp =
            try view.shownGeneration(of: resource).map { shown in
                RowStamp(generation: shown.number, digest: shown.record.digest, count: shown.record.rowCount)
            } ?? .none
        let hasOverlays = try view.resource(resource)?.overlayCount ?? 0 > 0
        overlays = hasOverlays ? try view.overlaidRows(of: resource, type: type) : []
    }
}
