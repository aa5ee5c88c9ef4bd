public import LarderHTTP
public import LarderOutbox

extension QueryCache: RefreshControl {
    /// Cancels the fetches of all keys that begin with `key`.
    public func cancelRefreshes(of key: QueryKey) { cancel(key) }

    /// Marks the values of all keys that begin with `key` as stale; observed ones are fetched again.
    public func refreshValues(of key: QueryKey) { invalidateSoon(key) }
}
