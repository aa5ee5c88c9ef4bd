/// The reasons of the policy; each word has one meaning.
enum Reasons {
    static let miss = CacheReason("miss", "Nothing is stored.", source: "RFC 9111 §4")
    static let variant = CacheReason(
        "vary-mismatch", "What is stored was selected by other request fields.", source: "RFC 9111 §4.1")
    static let partial = CacheReason(
        "partial", "The stored response contains only a part of what is requested.", source: "RFC 9111 §3.3")
    static let completion = CacheReason(
        "completing", "A part is stored, and only the rest is requested.", source: "RFC 9111 §3.4")
    static let method = CacheReason("method", "The method is not one that is cached.", source: "RFC 9111 §4")
    static let condition = CacheReason(
        "condition", "The request has a condition that only the server can evaluate.", source: "RFC 9111 §4.3.2")
    static let ranges = CacheReason("ranges", "The request has several ranges.", source: "RFC 9110 §14.2")
    static let requestNoStore = CacheReason(
        "request-no-store", "The request says no-store.", source: "RFC 9111 §5.2.1.5")
    static let requestNoCache = CacheReason(
        "request-no-cache", "The request says no-cache.", source: "RFC 9111 §5.2.1.4")
    static let requestMaxAge = CacheReason(
        "request-max-age", "The stored response is older than the request allows.", source: "RFC 9111 §5.2.1.1")
    static let minFresh = CacheReason(
        "min-fresh", "What is stored is not fresh for as long as the request wants.", source: "RFC 9111 §5.2.1.3")
    static let maxStale = CacheReason(
        "max-stale", "The stored response is stale, and the request allows that.", source: "RFC 9111 §5.2.1.2")
    static let forced = CacheReason("forced", "The host wants it validated.")
    static let needsValidation = CacheReason(
        "needs-validation", "What is stored must be validated before each use.", source: "RFC 9111 §5.2.2.4")
    static let mustRevalidate = CacheReason(
        "must-revalidate", "What is stored is stale, and must not be used so.", source: "RFC 9111 §5.2.2.2")
    static let fresh = CacheReason("fresh", "What is stored is fresh.", source: "RFC 9111 §4.2")
    static let soft = CacheReason("soft-expired", "The stored response is fresh, and its soft lifetime is over.")
    static let staleWhileRevalidate = CacheReason(
        "stale-while-revalidate", "What is stored is stale, and may be used while it is validated.",
        source: "RFC 5861 §3")
    static let stale = CacheReason("stale", "What is stored is stale.", source: "RFC 9111 §4.2.4")

    static let stored = CacheReason("stored", "The response may be stored.", source: "RFC 9111 §3")
    static let interim = CacheReason("interim", "The response is not final.", source: "RFC 9111 §3")
    static let noStore = CacheReason("no-store", "The response says no-store.", source: "RFC 9111 §5.2.2.5")
    static let mustUnderstand = CacheReason(
        "must-understand", "The response has a status with a meaning that is not known.", source: "RFC 9111 §5.2.2.3")
    static let variesOnAll = CacheReason(
        "vary-any", "No request can select the response again.", source: "RFC 9111 §4.1")
    static let variesOnSecret = CacheReason(
        "vary-secret", "A secret selects the response, and there is no salt to hash it with.")
    static let notCacheable = CacheReason(
        "not-cacheable", "Neither its status nor its fields let the response be stored.", source: "RFC 9111 §3")
    static let badRange = CacheReason(
        "bad-range", "The response is a part that does not say which.", source: "RFC 9110 §14.4")
    static let tooManyFields = CacheReason("too-many-fields", "The response has too many header fields.")

    static let unrelated = CacheReason(
        "unrelated", "The answer says nothing about what is stored.", source: "RFC 9111 §4.3.3")
    static let confirmed = CacheReason(
        "confirmed", "The server confirms what is stored.", source: "RFC 9111 §4.3.4")
    static let unconfirmed = CacheReason(
        "unconfirmed", "The server confirms something that is not stored.", source: "RFC 9111 §4.3.4")
    static let head = CacheReason(
        "head", "The answer to a HEAD agrees with what is stored.", source: "RFC 9111 §4.3.5")
    static let headDiffers = CacheReason(
        "head-differs", "The answer to a HEAD contradicts what is stored.", source: "RFC 9111 §4.3.5")
    static let combined = CacheReason(
        "combined", "The answer continues the part that is stored.", source: "RFC 9111 §3.4")
    static let samePart = CacheReason(
        "same-part", "The answer is a part of what is stored.", source: "RFC 9111 §3.4")

    static let disconnected = CacheReason(
        "disconnected", "No server responds, and a stale response may be used.", source: "RFC 9111 §4.2.4")
    static let staleIfError = CacheReason(
        "stale-if-error", "A stale response may be used in place of an error.", source: "RFC 5861 §4")
    static let tooStale = CacheReason(
        "too-stale", "The stored response is too stale to be used in place of an error.", source: "RFC 5861 §4")
    static let serverError = CacheReason(
        "server-error", "The server's error is the answer.", source: "RFC 9111 §4.3.3")
}
