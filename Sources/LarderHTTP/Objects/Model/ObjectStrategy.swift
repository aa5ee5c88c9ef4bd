/// How a request for objects weighs what is kept against the server.
public enum ObjectStrategy: String, Hashable, Sendable {
    /// The server's answer; what is kept only when it cannot be reached, or says that nothing has changed (304).
    ///
    /// A server's error is thrown: it was reached. A redirection, 511 and an HTML page are a captive portal's: it was not.
    case networkElseCache
    /// What is kept however old it is, marked as intermediate, and then the server's answer; that alone when nothing is kept.
    ///
    /// A request with one answer gives the first and asks the server behind the caller's back: that answer is kept, and comes to
    /// ``ObjectCache/values(of:)-(ObjectName)``. Both come one after the other by ``ObjectCache/objectAnswers(_:persistence:)``,
    /// ``ObjectCache/collectionAnswers(_:persistence:membership:)`` and ``ObjectCache/fileAnswers(_:persistence:)``. On saving:
    /// as ``networkElseCache``.
    case cacheThenNetwork
    /// The server's answer. Nothing is looked up, kept or, on saving, queued.
    case networkOnly
    /// What is kept **however old it is**, and the server only when that is nothing, or not complete.
    case cacheElseNetwork
    /// What is kept however old it is, and never the server. On saving: queued.
    case cacheOnly
}
