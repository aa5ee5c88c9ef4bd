public import HTTPTypes

/// Whether a response is kept.
public enum StorageDecision: Hashable, Sendable {
    /// Keep it as this, with its body.
    case store(StoredResponse, because: CacheReason)
    /// Do not keep it; what is stored under its key stays as it is.
    case refuse(because: CacheReason)
}

/// What to do with a request, given what is stored under its key.
///
/// The number in a case is the position of the chosen response among the candidates.
public enum ReuseDecision: Hashable, Sendable {
    /// Answer from the cache, and ask nobody.
    case reuse(Int, Freshness, because: CacheReason)
    /// Answer from the cache first; then send `request`, and answer again with what comes of it.
    case reuseThenValidate(Int, Freshness, request: HTTPRequest, because: CacheReason)
    /// Send `request`, which is conditional where the candidate has a validator; the candidate is what a 304 would confirm.
    ///
    /// The candidate is all that was asked for, and the reading is there for the case that the server cannot be asked:
    /// see ``CachePolicy/fallback(to:for:status:terms:at:)``.
    case validate(Int, Freshness, request: HTTPRequest, because: CacheReason)
    /// Send `request`: nothing that is stored fits.
    ///
    /// With the reason `completing` it asks only for what a stored part lacks, on condition that it is still the same; a
    /// 206 then continues that part (``UpdateDecision/combine(_:because:)``), and a 200 takes its place.
    case forward(request: HTTPRequest, because: CacheReason)
    /// `only-if-cached`, and nothing that is stored may be used: answer 504 (Gateway Timeout). RFC 9111 §5.2.1.7.
    case unsatisfiable(because: CacheReason)
}

/// What an answer to a sent request does to what is stored, beside what ``StorageDecision`` says about it.
public enum UpdateDecision: Hashable, Sendable {
    /// New metadata for one candidate; its body stays as it is.
    public struct Refresh: Hashable, Sendable {
        /// The position of the candidate.
        public var index: Int
        /// What to keep of it from now on.
        public var response: StoredResponse

        /// New metadata for the candidate at `index`.
        public init(index: Int, response: StoredResponse) {
            self.index = index
            self.response = response
        }
    }

    /// A 304, or what a HEAD was answered with, confirms these candidates. RFC 9111 §3.2, §4.3.4, §4.3.5.
    case refresh([Refresh], because: CacheReason)
    /// A HEAD's answer contradicts these candidates: they are validated before their next use where the server can be asked.
    /// RFC 9111 §4.3.5.
    case markStale([Int], because: CacheReason)
    /// A 304 that confirms nothing that is stored: send the request again without the cache's conditions.
    case repeatUnconditionally(because: CacheReason)
    /// A 206 continues the partial candidate: both together are the new body, under this metadata. RFC 9111 §3.4.
    case combine(Refresh, because: CacheReason)
    /// Nothing that is stored is touched.
    case none(because: CacheReason)
}

/// Whether a stored response may stand in for an answer that did not come.
public enum FallbackDecision: Hashable, Sendable {
    /// It may.
    case serve(because: CacheReason)
    /// It may not: the caller gets the error.
    case refuse(because: CacheReason)
}
