/// What keeps values fresh by keys, as far as a write has to do with it.
public protocol RefreshControl: Sendable {
    /// What a value is kept under.
    associatedtype Key: Sendable

    /// Gives up the refreshes under way of all that a key names: what they bring is older than the write.
    func cancelRefreshes(of key: Key) async

    /// Has all that a key names fetched again, at once or when somebody asks for it.
    func refreshValues(of key: Key) async
}
