/// The rule by which a request chooses between stored objects and the server.
public enum ObjectStrategy: String, Hashable, Sendable {
    /// The server's response; stored objects only when the server cannot be reached, or reports no change (304).
    ///
    /// A server's error is thrown, since the server was reached. A redirection, 511 and an HTML page are a captive
    /// portal's, so the server counts as not reached.
    case networkElseCache
    /// The stored objects, if any, however old, marked as intermediate, and then the server's response.
    ///
    /// A request with one answer returns the first and sends the request in the background: the response is stored, and
    /// delivered by ``ObjectCache/values(of:)-(ObjectName)``. Both are delivered one after the other by
    /// ``ObjectCache/objectAnswers(_:persistence:)``, ``ObjectCache/collectionAnswers(_:persistence:membership:)`` and
    /// ``ObjectCache/fileAnswers(_:persistence:)``. On saving: as ``networkElseCache``.
    case cacheThenNetwork
    /// The server's response. Nothing is looked up, stored or, on saving, queued.
    case networkOnly
    /// Stored objects, **however old they are**; the server only when there are none, or not all.
    case cacheElseNetwork
    /// Stored objects, however old they are, and never the server. A save is queued.
    case cacheOnly
}
