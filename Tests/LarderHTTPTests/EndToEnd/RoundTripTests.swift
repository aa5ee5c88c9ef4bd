// Proves that the cache stores, validates and serves responses correctly over real transports and a real server.

#if Server
import HTTPOrigin
import HTTPTypes
import LarderStore
import LarderHTTP
import LarderTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct `Through a real transport, the cache` {
    private static let march = "Sun, 01 Mar 2026 00:00:00 GMT"

    @Test(arguments: RealTransport.allCases)
    func `sends one request while a page is fresh, and validates it then`(_ transport: RealTransport) async throws {
        let world = try CacheWorld(transport)
        world.origin["/page"] = OriginPage("one", etag: "\"v1\"", cacheControl: "max-age=60")
        try await world.origin.serve { address in
            let request = try #require(FetchRequest("\(address)/page"))
            let first = try await world.cache.fetch(request)
            #expect(first.origin == .network)
            #expect(try await first.text() == "one")
            let second = try await world.cache.fetch(request)
            #expect(second.origin == .cache)
            #expect(try await second.text() == "one")
            #expect(world.origin.count("/page") == 1)

            world.clock.advance(by: .seconds(61))
            let third = try await world.cache.fetch(request)
            #expect(third.origin == .revalidated, "\(third.reuse) \(world.origin.requests.map(\.headers))")
            #expect(try await third.text() == "one")
            #expect(world.origin.requests.last?["if-none-match"] == "\"v1\"")

            world.clock.advance(by: .seconds(61))
            world.origin["/page"] = OriginPage("two", etag: "\"v2\"", cacheControl: "max-age=60")
            let fourth = try await world.cache.fetch(request)
            #expect(fourth.origin == .network)
            #expect(try await fourth.text() == "two")
        }
    }

    /// §2.1.23.
    @Test(arguments: RealTransport.allCases)
    func `validates by date where there is no tag`(_ transport: RealTransport) async throws {
        let world = try CacheWorld(transport)
        world.origin["/list"] = OriginPage("items", lastModified: Self.march, cacheControl: "no-cache")
        try await world.origin.serve { address in
            let request = try #require(FetchRequest("\(address)/list"))
            _ = try await world.cache.fetch(request).text()
            let again = try await world.cache.fetch(request)
            #expect(again.origin == .revalidated)
            #expect(world.origin.requests.last?["if-modified-since"] == Self.march)
            #expect(world.origin.requests.last?["if-none-match"] == nil)
        }
    }

    @Test(arguments: RealTransport.allCases)
    func `distinguishes the variants of a page`(_ transport: RealTransport) async throws {
        let world = try CacheWorld(transport)
        var page = OriginPage("hello", cacheControl: "max-age=60")
        page.languages = ["de": Array("hallo".utf8), "fr": Array("bonjour".utf8)]
        world.origin["/greeting"] = page
        try await world.origin.serve { address in
            for _ in 1...2 {
                for (language, text) in [("de", "hallo"), ("fr", "bonjour")] {
                    let fields: HTTPFields = [.acceptLanguage: language]
                    let request = try #require(FetchRequest("\(address)/greeting", fields: fields))
                    #expect(try await world.cache.fetch(request).text() == text)
                }
            }
            #expect(world.origin.count("/greeting") == 2)
        }
    }

    @Test(arguments: RealTransport.allCases)
    func `answers a part from the whole, and fetches one it does not have`(_ transport: RealTransport) async throws {
        let world = try CacheWorld(transport)
        world.origin["/file"] = OriginPage("0123456789", etag: "\"v1\"", cacheControl: "max-age=60")
        try await world.origin.serve { address in
            let part = try #require(FetchRequest("\(address)/file", fields: [.range: "bytes=2-4"]))
            let first = try await world.cache.fetch(part)
            #expect(first.value.head.status == .partialContent)
            #expect(try await first.text() == "234")
            _ = try await world.cache.fetch(try #require(FetchRequest("\(address)/file"))).text()
            let requestCount = world.origin.count("/file")
            let second = try await world.cache.fetch(part)
            #expect(second.origin == .cache)
            #expect(second.value.head.status == .partialContent)
            #expect(second.value.head.headerFields[.contentRange] == "bytes 2-4/10")
            #expect(try await second.text() == "234")
            #expect(world.origin.count("/file") == requestCount)
        }
    }

    @Test(arguments: RealTransport.allCases)
    func `never stores a body that broke off as a whole one`(_ transport: RealTransport) async throws {
        let world = try CacheWorld(transport)
        var page = OriginPage([UInt8](repeating: 7, count: 300_000), etag: "\"v1\"", cacheControl: "max-age=60")
        page.fault = .cut(after: 100_000)
        world.origin["/big"] = page
        try await world.origin.serve { address in
            let request = try #require(FetchRequest("\(address)/big"))
            await #expect(throws: HTTPCacheError.self) {
                _ = try await world.cache.fetch(request).value.body.bytes()
            }
            page.fault = nil
            world.origin["/big"] = page
            let whole = try await world.cache.fetch(request)
            #expect(try await whole.value.body.bytes() == page.body)
            let stored = try await world.cache.fetch(request)
            #expect(try await stored.value.body.bytes() == page.body)
        }
    }

    /// §2.1.24.
    @Test(arguments: RealTransport.allCases)
    func `serves what expired when the server is gone, and says so`(_ transport: RealTransport) async throws {
        let world = try CacheWorld(transport)
        world.origin["/news"] = OriginPage("old news", etag: "\"v1\"", cacheControl: "max-age=60")
        let request = try await world.origin.serve { address in
            let request = try #require(FetchRequest("\(address)/news"))
            _ = try await world.cache.fetch(request).text()
            return request
        }
        world.clock.advance(by: .seconds(3600))
        world.switchboard.isOnline = false
        let offline = try await world.cache.fetch(request, .staleIfOffline)
        #expect(offline.origin == .cache)
        guard case .expiredServedOffline = offline.state else {
            Issue.record("\(offline.state)")
            return
        }
        #expect(try await offline.text() == "old news")
        await #expect(throws: HTTPCacheError.self) { try await world.cache.fetch(request, .standard) }
    }

    @Test(arguments: RealTransport.allCases)
    func `leaves what is stored alone when the server fails`(_ transport: RealTransport) async throws {
        let world = try CacheWorld(transport)
        world.origin["/page"] = OriginPage("one", etag: "\"v1\"", cacheControl: "max-age=60")
        try await world.origin.serve { address in
            let request = try #require(FetchRequest("\(address)/page"))
            _ = try await world.cache.fetch(request).text()
            world.clock.advance(by: .seconds(61))
            world.origin["/page"]?.fault = .status(503)
            #expect(try await world.cache.fetch(request).value.head.status == .serviceUnavailable)
            world.origin["/page"]?.fault = nil
            #expect(try await world.cache.fetch(request).origin == .revalidated)
        }
    }

    @Test(arguments: RealTransport.allCases)
    func `forgets a page that was written to`(_ transport: RealTransport) async throws {
        let world = try CacheWorld(transport)
        world.origin["/item"] = OriginPage("one", cacheControl: "max-age=60")
        try await world.origin.serve { address in
            let request = try #require(FetchRequest("\(address)/item"))
            _ = try await world.cache.fetch(request).text()
            let write = try #require(FetchRequest("\(address)/item", method: .put, body: Array("two".utf8)))
            _ = try await world.cache.fetch(write).text()
            world.origin["/item"] = OriginPage("two", cacheControl: "max-age=60")
            #expect(try await world.cache.fetch(request).text() == "two")
        }
    }

    @Test(arguments: RealTransport.allCases, ["no-store", "max-age=60"])
    func `answers a ninth request while eight bodies lie unread`(
        _ transport: RealTransport, _ cacheControl: String
    ) async throws {
        let world = try CacheWorld(transport)
        let big = OriginPage([UInt8](repeating: 7, count: 4 << 20), cacheControl: cacheControl)
        for number in 1...8 { world.origin["/big/\(number)"] = big }
        world.origin["/small"] = OriginPage("small", cacheControl: "max-age=60")
        try await world.origin.serve { address in
            var held: [Fetched<HTTPAnswer>] = []
            for number in 1...8 {
                let request = try #require(FetchRequest("\(address)/big/\(number)"))
                held.append(try await world.cache.fetch(request))
            }
            let small = try #require(FetchRequest("\(address)/small"))
            #expect(try await world.cache.fetch(small).text() == "small")
            for answer in held { #expect(try await answer.value.body.bytes() == big.body) }
        }
    }

    @Test(arguments: RealTransport.allCases)
    func `survives a restart of the program`(_ transport: RealTransport) async throws {
        let world = try CacheWorld(transport)
        world.origin["/page"] = OriginPage("kept", cacheControl: "max-age=3600")
        try await world.origin.serve { address in
            let request = try #require(FetchRequest("\(address)/page"))
            _ = try await world.cache.fetch(request).text()
            await world.cache.close()
            try world.store.close()
            let store = try Store.open(at: world.store.path, host: .virtual(world.clock))
            let second = HTTPCache(
                transport: transport.make(), persistent: StoreResponseCache(store: store),
                services: .virtual(world.clock))
            let answer = try await second.fetch(request)
            #expect(answer.origin == .cache)
            #expect(try await answer.text() == "kept")
            var findings: [String] = []
            _ = try store.verify { findings.append("\($0)") }
            #expect(findings == [])
        }
    }
}
#endif
