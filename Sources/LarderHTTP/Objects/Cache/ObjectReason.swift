/// The decisions of an ``ObjectCache``, with their reasons.
enum ObjectReason {
    // The origins of an answer.
    static let serverFirst = CacheReason("asked", "The strategy sends a request first.")
    static let confirmed = CacheReason(
        "confirmed", "The server said that nothing has changed.", source: "RFC 9110 §15.4.5")
    static let unreachable = CacheReason("unreachable", "The server could not be reached.")
    static let anyAge = CacheReason("any-age", "The strategy uses the stored value, whatever its age.")
    static let cacheFirst = CacheReason("cache-first", "The stored value comes first, the server's response follows.")
    static let notStored = CacheReason("not-kept", "Nothing is stored.")
    static let incomplete = CacheReason("incomplete", "Some members of the collection are not stored any more.")
    static let networkOnly = CacheReason("network-only", "The strategy does not use stored values.")

    // The reasons a response is stored or not.
    static let stored = CacheReason("kept", "It is stored where its class or the request says.")
    static let alreadyStored = CacheReason("already-kept", "It was stored already.")
    static let notStoring = CacheReason("not-keeping", "The strategy stores nothing.")
    static let tooLarge = CacheReason("too-large", "It is longer than the limit for files.")
    static let empty = CacheReason("empty", "It is empty, and the stored file is not.")
    static let superseded = CacheReason(
        "overtaken", "Some of it was written or removed locally during the request.")
    static let failed = CacheReason("failed", "It could not be stored.")
}
