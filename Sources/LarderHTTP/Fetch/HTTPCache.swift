internal import LarderFormat
public import LarderStore
public import LarderTransport
internal import Logging

/// A private HTTP cache in front of a transport: RFC 9111, soft freshness, and strategies for what it leaves open.
///
/// Every answer states its origin, its freshness, and the reasons why it was used and stored. Identical requests under
/// way at the same time share one exchange. A failing cache counts as empty, and the failure is logged.
///
/// Call ``close()`` when done. Until then exchanges under way keep the cache alive.
///
/// ```swift
/// let cache = HTTPCache.system(store: store, transport: transport)
/// guard let request = FetchRequest("https://api.example.org/articles") else { return }
/// let answer = try await cache.fetch(request)  // from the store while fresh; else validated or fetched
/// print(answer.origin, answer.state, answer.reuse)
/// print(try await answer.value.body.bytes().count, "bytes")
/// await cache.close()
/// ```
public final class HTTPCache: Sendable {
    let transport: any Transport
    let persistent: (any ResponseCache)?
    let memory: (any ResponseCache)?
    /// The rules of the cache.
    public let policy: CachePolicy
    /// The limits of the cache.
    public let options: HTTPCacheOptions
    let services: HostServices
    let isOnline: @Sendable () -> Bool
    let account: @Sendable () -> String?
    let limiter: ExchangeLimiter
    let flights = FlightTable()
    /// The queue of the requests that are prefetched.
    let prefetches: KeyedSemaphore<Int>

    /// A cache of these parts.
    ///
    /// - Parameters:
    ///   - transport: sends the requests.
    ///   - persistent: keeps responses across launches; nil keeps none.
    ///   - memory: keeps the responses of requests that ask not to persist; nil keeps none of them.
    ///   - policy: the rules for storing and reusing responses.
    ///   - options: the limits of the cache.
    ///   - services: the clock, waiting, and the log.
    ///   - isOnline: whether there is a network, as far as the host knows. A wrong `false` does not stop a request that
    ///     no stored response can answer, unless its body is longer than ``HTTPCacheOptions/fileLimit``.
    ///   - account: the signed-in account, for requests without a ``FetchRequest/account``; evaluated per request.
    public init(
        transport: any Transport, persistent: (any ResponseCache)?, memory: (any ResponseCache)? = nil,
        policy: CachePolicy = CachePolicy(), options: HTTPCacheOptions = HTTPCacheOptions(), services: HostServices,
        isOnline: @escaping @Sendable () -> Bool = { true }, account: @escaping @Sendable () -> String? = { nil }
    ) {
        self.transport = transport
        self.persistent = persistent
        self.memory = memory
        self.policy = policy
        self.options = options
        self.services = services
        self.isOnline = isOnline
        self.account = account
        limiter = ExchangeLimiter(limit: options.concurrentExchanges)
        prefetches = KeyedSemaphore(limit: max(1, options.backgroundExchanges))
    }

    /// Ends every exchange with ``HTTPCacheError/transport(_:)`` of `cancelled`, and refuses new ones.
    ///
    /// Returns when all have ended. Stored responses stay.
    public func close() async {
        await flights.cancelAll(isLast: true)
    }
}

extension HTTPCache {
    func resolve(_ request: FetchRequest, _ check: BodyCheck? = nil) async throws(HTTPCacheError) -> ResolvedRequest {
        if let body = request.body, Int64(body.count) > options.fileLimit, !isOnline() {
            throw .uploadTooLarge(actual: Int64(body.count), limit: options.fileLimit)
        }
        let cache = try responseCache(for: request)
        var policy = policy
        policy.account = request.account ?? account()
        policy.isAccountOfRequest = request.account != nil
        policy.keepsCookies = cache?.isVolatile ?? false
        return try ResolvedRequest(request, cache: cache, policy: policy, check: check)
    }

    private func responseCache(for request: FetchRequest) throws(HTTPCacheError) -> (any ResponseCache)? {
        switch request.isPersistent {
        case nil: return persistent ?? memory
        case true?:
            guard let persistent else {
                throw .notConfigured("a request is to be persistent, and no persistent cache is configured")
            }
            return persistent
        case false?: return memory
        }
    }

    /// Returns the salt of a cache; nil when there is none, or it cannot be read.
    func salt(of cache: (any ResponseCache)?, drawing isDrawing: Bool) async -> [UInt8]? {
        do {
            guard isDrawing else { return try await cache?.selectingSalt(drawing: nil) }
            return try await cache?.selectingSalt { [services] in
                let (one, other) = (services.makeID(), services.makeID())
                return [one.high, one.low, other.high, other.low].flatMap { half in
                    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> UInt64($0)) }
                }
            }
        } catch {
            log("could not read the salt for stored responses", error)
            return nil
        }
    }

    func log(_ what: String, _ error: any Error) {
        services.logger.warning("\(what)", metadata: ["error": "\(error)"])
    }

    func logTooLarge(_ limit: Int64) {
        services.logger.notice("a body is longer than the limit, and is not stored", metadata: ["limit": "\(limit)"])
    }
}
