// The reasons of the cache itself, beside those of the policy.
extension CacheReason {
    static let notStoring = CacheReason("not-storing", "The strategy keeps nothing.")
    static let alreadyStored = CacheReason("already-stored", "It comes from the cache.")
    static let networkOnly = CacheReason("network-only", "The strategy does not look at the cache.")
    static let joined = CacheReason("joined", "The same request was under way already.")
    static let tooLarge = CacheReason("too-large", "The body is longer than the limit for stored bodies.")
    static let endless = CacheReason("endless", "The body is a stream of events.")
    static let cacheFailed = CacheReason("cache-failed", "The cache could not take it.")
    static let generated = CacheReason("generated", "No server gave this answer.")
    static let notCombined = CacheReason(
        "not-combined", "It does not continue the stored part.", source: "RFC 9111 §3.4")
    static let errorLeavesCache = CacheReason(
        "error-leaves-cache", "An error does not take the place of what is stored.")
    static let pageLeavesCache = CacheReason(
        "page-leaves-cache", "A page that was not asked for does not take the place of what is stored.")
    static let redirectionLeavesCache = CacheReason(
        "redirection-leaves-cache", "A redirection does not take the place of stored content.")
    static let emptyLeavesCache = CacheReason(
        "empty-leaves-cache", "An answer without content does not take the place of stored content.")
    static let partBesideWhole = CacheReason("part-beside-whole", "A part does not take the place of a whole body.")
    static let changedMeanwhile = CacheReason(
        "changed-meanwhile", "What is stored was invalidated or removed while the server was asked.")
    static let notUnderstood = CacheReason("not-understood", "The program cannot decode it.")
    static let otherLength = CacheReason(
        "other-length", "It has another length than its head says.", source: "RFC 9110 §14.4")
    static let timeLimit = CacheReason("time-limit", "The network took longer than the strategy lets it.")
    static let offline = CacheReason("offline", "There is no connection.")
    static let servedOffline = CacheReason(
        "served-offline", "Nobody answers, and the host wants what is stored then, whatever its server says.")
    static let anyAge = CacheReason("any-age", "The strategy takes what is stored, fresh or not.")
    static let nothingUsable = CacheReason("nothing-usable", "Nothing that is stored may be used.")
}
