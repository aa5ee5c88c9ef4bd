internal import LarderFormat

/// The overlaid resources whose applied sequence, state or generation a transaction has changed, so that some of their
/// overlays may be released.
final class OverlaidChanges: CommitState {
    var resources: Set<ResourceKey> = []

    init(_ shared: SharedState) {}
}
