public import HTTPTypes

/// The decision whether a response is stored.
public enum StorageDecision: Hashable, Sendable {
    /// Store it as this response, with its body.
    case store(StoredResponse, because: CacheReason)
    /// Do not store it; the responses stored under its key stay as they are.
    case refuse(because: CacheReason)
}

/// The decision about a request, by the responses stored under its key.
///
/// The number in a case is the position of the selected response among the candidates.
public enum ReuseDecision: Hashable, Sendable {
    /// Answer from the cache, and send nothing.
    case reuse(Int, Freshness, because: CacheReason)
    /// Answer from the cache first; then send `request`, and answer again with its result.
    case reuseThenValidate(Int, Freshness, request: HTTPRequest, because: CacheReason)
    /// Send `request`, which is conditional where the candidate has a validator. A 304 confirms the candidate.
    ///
    /// The candidate covers the whole request. It is named with its freshness for the case that the server cannot be
    /// reached: see ``CachePolicy/fallback(to:for:status:terms:at:)``.
    case validate(Int, Freshness, request: HTTPRequest, because: CacheReason)
    /// Send `request`: no stored response fits.
    ///
    /// With the reason `completing`, the request is only for the missing rest of a stored part, if that is still the
    /// same. A 206 then continues that part (``UpdateDecision/combine(_:because:)``), and a 200 replaces it.
    case forward(request: HTTPRequest, because: CacheReason)
    /// Answer 504 (Gateway Timeout): `only-if-cached`, and no stored response may be used. RFC 9111 §5.2.1.7.
    case unsatisfiable(because: CacheReason)
}

/// The effect of an answer on the stored responses, beside its own ``StorageDecision``.
public enum UpdateDecision: Hashable, Sendable {
    /// New metadata for one candidate; its body stays as it is.
    public struct Refresh: Hashable, Sendable {
        /// The position of the candidate.
        public var index: Int
        /// The metadata to keep from now on.
        public var response: StoredResponse

        /// New metadata for the candidate at `index`.
        public init(index: Int, response: StoredResponse) {
            self.index = index
            self.response = response
        }
    }

    /// A 304, or the answer to a HEAD, confirms these candidates. RFC 9111 §3.2, §4.3.4, §4.3.5.
    case refresh([Refresh], because: CacheReason)
    /// The answer to a HEAD contradicts these candidates: validate each before its next use, if the server can be
    /// reached. RFC 9111 §4.3.5.
    case markStale([Int], because: CacheReason)
    /// A 304 confirms no stored response: send the request again without the cache's conditions.
    case repeatUnconditionally(because: CacheReason)
    /// A 206 continues the partial candidate: both together are the new body, under this metadata. RFC 9111 §3.4.
    case combine(Refresh, because: CacheReason)
    /// No stored response changes.
    case none(because: CacheReason)
}

/// The decision whether a stored response may be the fallback for a missing answer or a server's error.
public enum FallbackDecision: Hashable, Sendable {
    /// The response may be used.
    case serve(because: CacheReason)
    /// The response may not be used: the caller gets the error.
    case refuse(because: CacheReason)
}
