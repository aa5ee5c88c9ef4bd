/// How a request for objects, with one answer, weighs what is kept against the server.
///
/// For an answer from what is kept and then the server's, see ``ObjectCache/collectionAnswers(_:persistence:membership:)``.
public enum ObjectStrategy: String, Hashable, Sendable {
    /// The server's answer; what is kept only when it cannot be reached, or says that nothing has changed (304).
    ///
    /// A server's error is thrown: it was reached. A redirection, 511 and an HTML page are a captive portal's: it was not.
    case networkElseCache
    /// The server's answer. Nothing is looked up, kept or, on saving, queued.
    case networkOnly
    /// What is kept **however old it is**, and the server only when that is nothing, or not complete.
    case cacheElseNetwork
    /// What is kept however old it is, and never the server. On saving: queued.
    case cacheOnly
}
