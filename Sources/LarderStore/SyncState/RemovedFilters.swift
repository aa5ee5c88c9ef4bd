internal import LarderFormat

/// The filters that a transaction has removed.
final class RemovedFilters: CommitState {
    var count = 0
    /// Overlaid resources of which the last filter that had them as member was removed.
    var overlaid: Set<ResourceKey> = []

    init(_ shared: SharedState) {}
}
