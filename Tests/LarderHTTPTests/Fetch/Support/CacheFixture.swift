// CacheFixture: a cache under test with a virtual clock, a server that is a function, and lists as stores.

import HTTPTypes
import LarderHTTP
import LarderStore
import LarderTesting
import LarderTransport
import Synchronization

/// A cache under test: a virtual clock, a server that is a function, and lists for stores.
final class CacheFixture: Sendable {
    let clock = VirtualClock()
    let store = ListCache()
    let memory = ListCache()
    let server: ScriptedTransport
    let cache: HTTPCache
    private let isOnline: Flag

    init(
        options: HTTPCacheOptions = HTTPCacheOptions(), policy: CachePolicy = CachePolicy(), isOnline: Bool = true,
        _ handler: @escaping HandlerTransport.Handler
    ) {
        server = ScriptedTransport(clock: clock, handler: handler)
        let flag = Flag(isOnline)
        self.isOnline = flag
        cache = HTTPCache(
            transport: server, persistent: store, memory: memory, policy: policy, options: options,
            services: .virtual(clock), isOnline: { flag.value })
    }

    /// A server that answers everything with 200, these fields and this body.
    convenience init(_ fields: HTTPFields, _ body: String = "hello", options: HTTPCacheOptions = HTTPCacheOptions()) {
        self.init(options: options) { (_, _) throws(TransportError) in ok(fields, body) }
    }

    /// What was sent so far.
    var requests: [HTTPRequest] { server.recorded.map(\.request) }

    func setOnline(_ value: Bool) { isOnline.value = value }

    func get(
        _ path: String = "/a", _ strategy: SingleAnswerStrategy = .standard, fields: HTTPFields = [:]
    ) async throws -> FetchedText {
        try await FetchedText(cache.fetch(request(path, fields), strategy))
    }

    /// All answers, each read whole before the next is asked for.
    func all(_ path: String = "/a", _ strategy: TwoAnswerStrategy, terms: RequestTerms = RequestTerms()) async throws
        -> [FetchedText]
    {
        var got: [FetchedText] = []
        var request = request(path)
        request.terms = terms
        for try await answer in cache.answers(to: request, strategy) { got.append(try await FetchedText(answer)) }
        return got
    }

    /// Lets tasks run until something is so; false when it does not become so.
    func waitUntil(_ isSo: @Sendable () -> Bool) async -> Bool {
        for _ in 0..<100_000 {
            if isSo() { return true }
            await Task.yield()
        }
        return isSo()
    }
}

func request(_ path: String = "/a", _ fields: HTTPFields = [:], method: HTTPRequest.Method = .get) -> FetchRequest {
    FetchRequest(
        HTTPRequest(method: method, scheme: "http", authority: "origin.test", path: path, headerFields: fields))
}

/// What the bench keeps a request to `path` under.
func key(_ path: String = "/a") -> String { "http://origin.test\(path)" }

func ok(_ fields: HTTPFields = [:], _ body: String = "hello") -> TransportResponse {
    TransportResponse(status: .ok, headers: fields, body: Array(body.utf8))
}

/// A server that answers 304 to its own tag, and else 200 with it.
func tagged(_ tag: String, _ cacheControl: String, _ body: String = "hello") -> HandlerTransport.Handler {
    { (request, _) throws(TransportError) in
        let fields: HTTPFields = [.eTag: tag, .cacheControl: cacheControl]
        if request.headerFields[.ifNoneMatch] == tag { return TransportResponse(status: .notModified, headers: fields) }
        return ok(fields, body)
    }
}

/// An answer with its body read.
struct FetchedText: Sendable {
    let fetched: Fetched<HTTPAnswer>
    let body: String

    init(_ fetched: Fetched<HTTPAnswer>) async throws {
        self.fetched = fetched
        body = String(decoding: try await fetched.value.body.bytes(), as: UTF8.self)
    }

    var origin: AnswerOrigin { fetched.origin }
    var status: Int { fetched.value.head.status.code }
    var fields: HTTPFields { fetched.value.head.headerFields }
    var isStale: Bool { if case .stale = fetched.state { true } else { false } }
    var isFresh: Bool { if case .fresh = fetched.state { true } else { false } }
    var isExpiredServedOffline: Bool { if case .expiredServedOffline = fetched.state { true } else { false } }
}

/// A switch that tasks share.
final class Flag: Sendable {
    private let state: Mutex<Bool>

    init(_ value: Bool) { state = Mutex(value) }

    var value: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// A barrier at which requests wait until it is opened.
final class FetchBarrier: Sendable {
    private let state = Mutex<(isOpen: Bool, waiters: [CheckedContinuation<Void, Never>])>((false, []))

    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}
