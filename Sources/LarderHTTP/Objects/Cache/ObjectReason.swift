/// The decisions of an ``ObjectCache``, with their reasons.
enum ObjectReason {
    // The origins of an answer.
    static let asked = CacheReason("asked", "The strategy asks the server first.")
    static let confirmed = CacheReason(
        "confirmed", "The server said that nothing has changed.", source: "RFC 9110 §15.4.5")
    static let unreachable = CacheReason("unreachable", "The server could not be reached.")
    static let anyAge = CacheReason("any-age", "The strategy takes what is kept, however old it is.")
    static let cacheFirst = CacheReason("cache-first", "What is kept comes first, the server's answer follows.")
    static let notKept = CacheReason("not-kept", "Nothing is kept.")
    static let incomplete = CacheReason("incomplete", "Some of what the collection holds is not kept any more.")
    static let networkOnly = CacheReason("network-only", "The strategy does not look at what is kept.")

    // The reasons a response is stored or not.
    static let kept = CacheReason("kept", "It is kept where its class or the request says.")
    static let alreadyKept = CacheReason("already-kept", "It comes from what is kept.")
    static let notKeeping = CacheReason("not-keeping", "The strategy keeps nothing.")
    static let tooLarge = CacheReason("too-large", "It is longer than the limit for files.")
    static let empty = CacheReason("empty", "It is empty, and what is kept is not.")
    static let overtaken = CacheReason(
        "overtaken", "Some of it was written or removed here while the server was asked.")
    static let failed = CacheReason("failed", "It could not be kept.")
}
