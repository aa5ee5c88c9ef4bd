/// A cache that keeps values fresh by keys, as far as a write has to do with it.
public protocol RefreshControl: Sendable {
    /// The key of a value.
    associatedtype Key: Sendable

    /// Cancels the refreshes under way of all that a key names: their results are older than the write.
    func cancelRefreshes(of key: Key) async

    /// Has all that a key names fetched again, at once or when it is next requested.
    func refreshValues(of key: Key) async
}
