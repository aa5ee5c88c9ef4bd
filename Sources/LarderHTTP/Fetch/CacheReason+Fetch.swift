// The reasons of the cache itself, beside those of the policy.
extension CacheReason {
    static let notStoring = CacheReason("not-storing", "The strategy stores nothing.")
    static let alreadyStored = CacheReason("already-stored", "It comes from the cache.")
    static let networkOnly = CacheReason("network-only", "The strategy does not use the cache.")
    static let joined = CacheReason("joined", "The same request was under way already.")
    static let tooLarge = CacheReason("too-large", "The body is longer than the limit for stored bodies.")
    static let eventStream = CacheReason("endless", "The body is a stream of events.")
    static let cacheFailed = CacheReason("cache-failed", "The cache could not store it.")
    static let generated = CacheReason("generated", "No server sent this response.")
    static let notCombined = CacheReason(
        "not-combined", "It does not continue the stored part.", source: "RFC 9111 §3.4")
    static let errorDoesNotReplace = CacheReason(
        "error-leaves-cache", "An error does not replace a stored response.")
    static let pageDoesNotReplace = CacheReason(
        "page-leaves-cache", "A page that was not requested does not replace a stored response.")
    static let redirectionDoesNotReplace = CacheReason(
        "redirection-leaves-cache", "A redirection does not replace stored content.")
    static let emptyDoesNotReplace = CacheReason(
        "empty-leaves-cache", "A response without content does not replace stored content.")
    static let partDoesNotReplace = CacheReason("part-beside-whole", "A part does not replace a whole body.")
    static let changedMeanwhile = CacheReason(
        "changed-meanwhile", "The stored response was invalidated or removed during the request.")
    static let undecodable = CacheReason("not-understood", "The program cannot decode it.")
    static let lengthMismatch = CacheReason(
        "other-length", "It has another length than its head says.", source: "RFC 9110 §14.4")
    static let timeLimit = CacheReason("time-limit", "The network exceeded the time limit of the strategy.")
    static let offline = CacheReason("offline", "There is no connection.")
    static let servedOffline = CacheReason(
        "served-offline", "No server responds, and the host permits any stored response then.")
    static let anyAge = CacheReason("any-age", "The strategy uses the stored response, fresh or not.")
    static let nothingUsable = CacheReason("nothing-usable", "Nothing that is stored may be used.")
}
