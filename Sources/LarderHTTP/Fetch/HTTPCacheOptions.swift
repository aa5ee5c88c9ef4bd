public import LarderTransport

/// The limits of an ``HTTPCache``.
public struct HTTPCacheOptions: Hashable, Sendable {
    /// The longest body that is stored, in bytes: 15 MiB unless told otherwise.
    ///
    /// A longer answer is delivered and not stored. A longer body to send is refused while there is no connection.
    public var fileLimit: Int64
    /// The longest body that is read to its end and stored after its reader is gone, in bytes; 1 MiB by default.
    ///
    /// So `_ = try await cache.fetch(…)` stores what it fetches. Zero ends the exchange of every body that is let go. One
    /// of unknown length is read no longer than `timeouts.idle` after its reader has gone.
    public var finishLimit: Int64
    /// The most exchanges under way at a time; more wait by their priority.
    ///
    /// An exchange whose reader is slow does not count, nor does an event stream, nor a body of unknown length that takes
    /// longer than `timeouts.idle`. A waiting exchange fails as if the server had not answered when none of those under
    /// way gets a head or a byte within the longer of `timeouts.head` and `timeouts.idle`.
    public var concurrentExchanges: Int
    /// The most validations that nobody waits for at a time; more are left to the next request. As many requests, at least
    /// one, are prefetched at a time.
    public var backgroundExchanges: Int
    /// The most bytes of a body held for a reader that takes its time.
    public var unreadLimit: Int
    /// The most redirections that a fetch follows; 0, the default, follows none: a redirection is the answer.
    ///
    /// 301, 302, 303, 307 and 308 are followed to the one `http` or `https` address that `Location` names, but never from
    /// `https` to `http`; any other redirection is the answer. Each request of the chain is looked up, stored and
    /// reused by itself, under its own address. 303 makes a GET of every method but HEAD, 301 and 302 make one of a POST;
    /// else method and body are sent again. No request after the first has the caller's conditions, `Referer`, `Origin`
    /// or ``FetchRequest/key``; none after one to another origin has a field of ``CachePolicy/credentialFields``, such as
    /// `Authorization` or `Cookie`. A longer chain, and one that comes back to a request of its own, ends with
    /// ``HTTPCacheError/redirectedTooOften(_:)``. Source: RFC 9110 §15.4.
    ///
    /// ```swift
    /// let cache = HTTPCache(
    ///     transport: transport, persistent: place, options: HTTPCacheOptions(redirectLimit: 5), services: .system())
    /// ```
    public var redirectLimit: Int
    /// Whether a stored response answers, whatever its server says about that, when the server cannot be asked; false by
    /// default.
    ///
    /// Counts for every strategy that uses both the cache and the network, of one answer and of two: not for
    /// ``SingleAnswerStrategy/networkOnly`` and ``SingleAnswerStrategy/reload``, which promise the server's own answer, nor
    /// for ``SingleAnswerStrategy/cacheOnly``, which does not ask. `must-revalidate`, `no-cache`, `stale-if-error` and an
    /// invalidation of the response forbid nothing then; `Cache-Control: no-cache` and `stale-if-error` of the request do. It
    /// counts when the host knows of no network, and when no answer came; an answer that says 503, or one that is late
    /// for ``SingleAnswerStrategy/networkElseCache(within:)``, is none of these. The answer has the state
    /// ``AnswerState/expiredServedOffline(since:)`` unless it is fresh, and the reason `served-offline` where only this option lets it
    /// be used.
    ///
    /// For a server that sends `max-age=0, must-revalidate` by default:
    ///
    /// ```swift
    /// let cache = HTTPCache.system(
    ///     store: store, transport: transport, options: HTTPCacheOptions(servesStoredOffline: true))
    /// ```
    public var servesStoredOffline: Bool
    /// When a request is sent again that got no answer, or one that says to come back; nil, the default: never.
    public var retries: FetchRetries?
    /// The longest waits of an exchange.
    public var timeouts: TransportTimeouts

    /// Limits; counts must be positive.
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
