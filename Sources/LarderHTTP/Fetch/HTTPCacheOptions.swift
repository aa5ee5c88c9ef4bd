public import LarderTransport

/// The limits of an ``HTTPCache``.
///
/// ```swift
/// var options = HTTPCacheOptions(redirectLimit: 5)
/// options.servesStoredOffline = true  // also against `must-revalidate`, when the server cannot be reached
/// let cache = HTTPCache.system(store: store, transport: transport, options: options)
/// print(try await cache.fetch(request).state)
/// ```
public struct HTTPCacheOptions: Hashable, Sendable {
    /// The longest body that is stored, in bytes; 15 MiB by default.
    ///
    /// A longer answer is delivered and not stored. A longer body to send is refused while there is no connection.
    public var fileLimit: Int64
    /// The longest body that is read to its end and stored after its reader is gone, in bytes; 1 MiB by default.
    ///
    /// With it, `_ = try await cache.fetch(…)` stores the response. Zero ends the exchange of every body that is
    /// released unread. A body of unknown length is read for at most `timeouts.idle` after its reader has gone.
    public var finishLimit: Int64
    /// The maximum number of exchanges under way at a time; more wait by their priority.
    ///
    /// An exchange with a slow reader does not count. Nor does an event stream, or a body of unknown length that lasts
    /// longer than `timeouts.idle`. A waiting exchange fails like one without an answer when no other receives a head
    /// or a byte within the longer of `timeouts.head` and `timeouts.idle`.
    public var concurrentExchanges: Int
    /// The maximum number of validations in the background at a time; more are left to the next request. The same
    /// number of requests, at least one, is prefetched at a time.
    public var backgroundExchanges: Int
    /// The number of unread bytes of a body that are held before its exchange waits for the reader.
    public var unreadLimit: Int
    /// The most redirections that a fetch follows; 0, the default, follows none: a redirection is the answer.
    ///
    /// 301, 302, 303, 307 and 308 are followed to the one `http` or `https` address that `Location` names, but never
    /// from `https` to `http`; any other redirection is the answer. Each request of the chain is looked up, stored and
    /// reused by itself, under its own address. 303 changes every method but HEAD to GET, and 301 and 302 change POST
    /// to GET; otherwise method and body are sent again. No request after the first has the caller's conditions,
    /// `Referer`, `Origin` or ``FetchRequest/key``. After a redirection to another origin, none has a field of
    /// ``CachePolicy/credentialFields``, such as `Authorization` or `Cookie`. A longer chain, and one that returns to
    /// an earlier request, ends with ``HTTPCacheError/redirectedTooOften(_:)``. Source: RFC 9110 §15.4.
    ///
    /// ```swift
    /// let cache = HTTPCache(
    ///     transport: transport, persistent: place, options: HTTPCacheOptions(redirectLimit: 5), services: .system())
    /// ```
    public var redirectLimit: Int
    /// Whether a stored response is used against its directives when the server cannot be reached; false by default.
    ///
    /// The option applies to every strategy, of one answer or of two, that uses both the cache and the network. It does
    /// not apply to ``SingleAnswerStrategy/networkOnly`` and ``SingleAnswerStrategy/reload``, which promise the
    /// server's own answer, nor to ``SingleAnswerStrategy/cacheOnly``, which sends nothing. It overrides
    /// `must-revalidate`, `no-cache`, `stale-if-error` and an invalidation of the response, but not `no-cache` and
    /// `stale-if-error` of the request.
    ///
    /// It applies when the host knows of no network, and when no answer arrived. It does not apply to a 503, nor to an
    /// answer that is late for ``SingleAnswerStrategy/networkElseCache(within:)``. The answer has the state
    /// ``AnswerState/expiredServedOffline(since:)`` unless it is fresh, and the reason `served-offline` if only this
    /// option permits it.
    ///
    /// For a server that sends `max-age=0, must-revalidate` by default:
    ///
    /// ```swift
    /// let cache = HTTPCache.system(
    ///     store: store, transport: transport, options: HTTPCacheOptions(servesStoredOffline: true))
    /// ```
    public var servesStoredOffline: Bool
    /// The rules for sending a request again after no answer or a temporary error status; nil, the default, for never.
    public var retries: FetchRetries?
    /// The time limits of an exchange.
    public var timeouts: TransportTimeouts

    /// Limits; traps unless `concurrentExchanges` and `unreadLimit` are positive, and the other numbers zero or more.
    public init(
        fileLimit: Int64 = 15 << 20, concurrentExchanges: Int = 8, backgroundExchanges: Int = 4,
        unreadLimit: Int = 256 << 10, timeouts: TransportTimeouts = TransportTimeouts(), finishLimit: Int64 = 1 << 20,
        redirectLimit: Int = 0, servesStoredOffline: Bool = false, retries: FetchRetries? = nil
    ) {
        precondition(
            fileLimit >= 0 && unreadLimit > 0 && finishLimit >= 0,
            "limits of \(fileLimit), \(unreadLimit) and \(finishLimit) bytes")
        precondition(
            concurrentExchanges > 0 && backgroundExchanges >= 0,
            "\(concurrentExchanges) exchanges, \(backgroundExchanges) in the background")
        precondition(redirectLimit >= 0, "\(redirectLimit) redirections")
        self.fileLimit = fileLimit
        self.concurrentExchanges = concurrentExchanges
        self.backgroundExchanges = backgroundExchanges
        self.unreadLimit = unreadLimit
        self.timeouts = timeouts
        self.finishLimit = finishLimit
        self.redirectLimit = redirectLimit
        self.servesStoredOffline = servesStoredOffline
        self.retries = retries
    }
}
