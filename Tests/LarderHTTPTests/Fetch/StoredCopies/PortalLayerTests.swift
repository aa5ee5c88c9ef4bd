// Proves that no layer over the cache loses stored data to a captive portal, whatever the portal answers.
import HTTPTypes
import Larder
import LarderHTTP
import LarderTesting
import LarderTransport
import Synchronization
import Testing

/// What a captive portal, or a box that intercepts TLS, does with a request to another host.
struct Portal: Sendable, CustomTestStringConvertible {
    static let page = "<!DOCTYPE html><html><body>Sign in</body></html>"
    static let loginHost = "login.test"

    let testDescription: String
    /// How many redirections the program follows.
    var redirectLimit = 0
    var status = HTTPResponse.Status.ok
    var fields: HTTPFields = [:]
    /// The content type of the page; nil for none.
    var type: String? = "text/html"
    /// The body of a redirection, of the content type.
    var redirectionBody: [UInt8]?
    /// Whether the page breaks off behind its first half, without an error of the transport.
    var isCut = false

    /// What it answers to a request.
    func answer(to request: HTTPRequest) -> TransportResponse {
        let isLogin = request.authority == Self.loginHost
        var head = HTTPResponse(status: isLogin ? .ok : status, headerFields: isLogin ? [:] : fields)
        head.headerFields[.cacheControl] = "max-age=86400"
        if head.status.kind == .redirection {
            head.headerFields[.location] = "https://\(Self.loginHost)/?from=\(request.path ?? "")"
            if redirectionBody != nil { head.headerFields[.contentType] = type }
            return TransportResponse(head: head, body: TransportBody(redirectionBody ?? []))
        }
        head.headerFields[.contentType] = type
        let whole = Array(Self.page.utf8)
        head.headerFields[.contentLength] = String(whole.count)
        return TransportResponse(
            head: head, body: TransportBody(isCut ? Array(whole.prefix(20)) : whole))
    }

    static let all = [
        Portal(testDescription: "a page"),
        Portal(
            testDescription: "a page with a tag",
            fields: [.eTag: "\"1\"", .lastModified: "Sun, 01 Mar 2026 00:00:00 GMT"]),
        Portal(testDescription: "a redirection that is the answer", status: .found),
        Portal(testDescription: "a lasting redirection that is the answer", status: .movedPermanently),
        Portal(
            testDescription: "a lasting redirection with a body of the same type", status: .movedPermanently,
            type: "application/json", redirectionBody: Array("{\"moved\":true}".utf8)),
        Portal(testDescription: "a redirection that is followed", redirectLimit: 5, status: .found),
        Portal(
            testDescription: "a lasting redirection that is followed", redirectLimit: 5,
            status: .permanentRedirect),
        Portal(
            testDescription: "a redirection to a page that says it is JSON", redirectLimit: 5,
            status: .temporaryRedirect,
            type: "application/json"),
        Portal(testDescription: "a page that says it is JSON", type: "application/json; charset=utf-8"),
        Portal(testDescription: "a page that says it is a problem", type: "application/problem+json"),
        Portal(testDescription: "a page that says nothing", type: nil),
        Portal(testDescription: "a page that breaks off", isCut: true),
        Portal(
            testDescription: "a page that says it is JSON and breaks off", type: "application/json",
            isCut: true),
    ]
}

@Suite(.timeLimit(.minutes(5))) struct `Behind a captive portal` {
    /// A cache whose server is honest until a portal stands in the way.
    private final class World: Sendable {
        let clock = VirtualClock()
        let cache: HTTPCache
        private let way = PortalSwitch()

        /// What stands in the way.
        private final class PortalSwitch: Sendable { let portal = Mutex<Portal?>(nil) }

        init(_ place: any ResponseCache, _ type: String?, redirectLimit: Int) {
            let way = way
            cache = HTTPCache(
                transport: HandlerTransport { (request, _) throws(TransportError) in
                    if let portal = way.portal.withLock({ $0 }) { return portal.answer(to: request) }
                    return ok([.contentType: type ?? "", .cacheControl: "max-age=60"], StoredCopyWorld.good)
                }, persistent: place, options: HTTPCacheOptions(redirectLimit: redirectLimit),
                services: .virtual(clock))
        }

        /// Puts the portal in the way, when what is kept has expired.
        func intercept(by portal: Portal) {
            clock.advance(by: .seconds(100))
            way.portal.withLock { $0 = portal }
        }
    }

    private static let fetchRequest = FetchRequest("https://api.test/word")
    private static let strategies: [SingleAnswerStrategy] = [
        .standard, .staleIfOffline, .networkElseCache, .reload,
    ]

    @Test(arguments: CacheUnderTest.keeping, Portal.all)
    func `a response that is fetched stays`(under: CacheUnderTest, portal: Portal) async throws {
        let fetchRequest = try #require(Self.fetchRequest)
        let directory = TemporaryDirectory()
        let world = World(
            try under.make(directory), "application/json", redirectLimit: portal.redirectLimit)
        _ = try await FetchedText(world.cache.fetch(fetchRequest))
        world.intercept(by: portal)
        for strategy in Self.strategies {
            // Cut off or not, this is what the program gets; what is stored is another matter.
            _ = try? await FetchedText(world.cache.fetch(fetchRequest, strategy))
            #expect(try await FetchedText(world.cache.fetch(fetchRequest, .cacheOnly)).body == StoredCopyWorld.good)
        }
    }

    @Test(arguments: CacheUnderTest.keeping, Portal.all)
    func `a value that is decoded stays`(under: CacheUnderTest, portal: Portal) async throws {
        let fetchRequest = try #require(Self.fetchRequest)
        let directory = TemporaryDirectory()
        let world = World(try under.make(directory), nil, redirectLimit: portal.redirectLimit)
        let value = { @Sendable (strategy: SingleAnswerStrategy) in
            try await world.cache.value(of: fetchRequest, strategy, decoding: StoredCopyWorld.decode).value
        }
        _ = try await value(.standard)
        world.intercept(by: portal)
        for strategy in Self.strategies {
            await #expect(throws: HTTPCacheError.self) { _ = try await value(strategy) }
            #expect(try await value(.cacheOnly) == StoredCopyWorld.good)
        }
    }

    @Test(arguments: [ObjectPersistence.memory, .persistent], Portal.all)
    func `objects, collections and files stay`(place: ObjectPersistence, portal: Portal) async throws {
        let world = try ObjectWorld(
            persistent: place == .persistent ? ["User"] : [], hasRealFiles: true)
        let image = ObjectFile(of: user(1), attribute: "image")
        world.server.set { $0.files["/User/1/image/content"] = Array("pixels".utf8) }
        _ = try await world.cache.object(user(2))
        _ = try await world.cache.collection(allUsers)
        _ = try await world.cache.file(image)
        let request = HTTPRequest(method: .get, scheme: "https", authority: "objects.test", path: "/")
        world.server.set { $0.portal = { portal.answer(to: request) } }
        for _ in 0..<2 {
            _ = try? await world.cache.object(user(2))
            _ = try? await world.cache.collection(allUsers)
            _ = try? await world.cache.file(image).value.body.bytes()
        }
        #expect(try await world.cache.object(user(2), strategy: .cacheOnly).number == "2")
        #expect(
            try await world.cache.collection(allUsers, strategy: .cacheOnly).numbers == [
                "1", "2", "3", "4",
            ])
        let file = try await world.cache.file(image, strategy: .cacheOnly)
        #expect(try await file.value.body.bytes() == Array("pixels".utf8))
    }

    @Test(arguments: Portal.all)
    func `a query's value stays, across a relaunch too, and so does the response beneath it`(
        portal: Portal
    ) async throws {
        let fetchRequest = try #require(Self.fetchRequest)
        let queries = QueryWorld()
        let store = try queries.openStore()
        let world = World(
            StoreResponseCache(store: store), "application/json", redirectLimit: portal.redirectLimit)
        let persistence = QueryCache.Persistence(store: store, coder: JSONPayloadCoder()) { _ in true }
        let fetch = { @Sendable (cache: QueryCache) in
            try await cache.value(
                for: ["word"], options: KeyedQueryOptions(mode: .always, staleAfter: .seconds(60))
            ) {
                try await world.cache.value(of: fetchRequest, .networkElseCache, decoding: StoredCopyWorld.decode).value
            }.value
        }
        let cache = queries.cache(persistence)
        #expect(try await fetch(cache) == StoredCopyWorld.good)
        world.intercept(by: portal)
        queries.clock.advance(by: .seconds(100))
        for program in [cache, queries.cache(persistence)] {
            _ = try? await fetch(program)
            #expect(await program.peek(String.self, for: ["word"]) == StoredCopyWorld.good)
        }
        #expect(try await FetchedText(world.cache.fetch(fetchRequest, .cacheOnly)).body == StoredCopyWorld.good)
    }
}
