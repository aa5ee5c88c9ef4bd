internal import LarderFormat

/// The resources under local writes whose floor, state or generation a transaction has changed, so that some of those writes
/// may be released.
final class OverlaidChanges: CommitState {
    var resources: Set<ResourceKey> = []

    init(_ shared: SharedState) {}
}
