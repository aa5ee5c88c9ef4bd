// Proves that a stored copy with content outlives whatever a captive portal answers in the server's place.
import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A stored copy, fetched unchecked,` {
    static let page = "<!DOCTYPE html><html>Sign in</html>"
    static let freshFor: HTTPFields = [.cacheControl: "max-age=600"]

    static let copies: [@Sendable () -> TransportResponse] = [
        { json(StoredCopyWorld.good, "max-age=60") }, { ok([.contentType: "image/png"], "pixels") },
        { ok([:], "{\"word\":1}") },
        { ok([.contentType: "application/octet-stream"], "bytes") }, { ok([.contentType: "text/plain"], "text") },
    ]

    static let portals: [@Sendable () -> TransportResponse] = [
        { ok([:], page) }, { ok(freshFor, page) },
        { ok([.contentType: "text/plain", .cacheControl: "max-age=9"], page) },
        { ok([.contentType: "application/octet-stream"], "\u{FEFF}\r\n \t<HTML>Sign in") }, { ok([:], "<p") },
        { TransportResponse(status: .ok, headers: freshFor, chunks: [" ", "<", "!doctype", " html><html>"]) },
        { answer(.movedPermanently, [.location: "http://portal.test/"]) },
        { answer(.found, freshFor) }, { answer(.permanentRedirect, freshFor) },
        { answer(.found, [.contentType: "application/json", .cacheControl: "max-age=600"], "{\"signIn\":true}") },
        { answer(.noContent, freshFor) },
        { answer(.ok, freshFor) }, { ok([.contentLength: "0", .cacheControl: "max-age=600"], "") },
        { ok([.contentType: "application/json", .cacheControl: "max-age=600"], "") },
        { ok([.contentType: "text/html"], page) }, { answer(.notFound, freshFor) },
        { answer(.nonAuthoritativeInformation, [.contentType: "text/html"], page) },
        { answer(.partialContent, [.contentType: "text/html", .contentRange: "bytes 0-9/10"], "<!DOCTYPE ") },
        { typed(["junk"], page) }, { typed(["html"], page) }, { typed(["text/xml"], page) },
        { typed(["application/xml; charset=utf-8"], "<?xml version=\"1.0\"?><html>") }, { typed([""], "<p>Sign in") },
        { typed(["application/json", "text/html"], page) }, { typed(["text/plain", "application/json"], page) },
        { typed(["application/json, text/plain"], "<a href=\"/\">Sign in</a>") },
    ]

    static func typed(_ types: [String], _ body: String) -> TransportResponse {
        var fields = freshFor
        fields[values: .contentType] = types
        return ok(fields, body)
    }

    static func answer(_ status: HTTPResponse.Status, _ fields: HTTPFields, _ body: String = "") -> TransportResponse {
        TransportResponse(status: status, headers: fields, body: Array(body.utf8))
    }

    @Test(arguments: CacheUnderTest.keeping, copies.indices)
    func `outlives what a captive portal answers`(under: CacheUnderTest, copy: Int) async throws {
        let directory = TemporaryDirectory()
        let world = StoredCopyWorld(try under.make(directory))
        for (number, portal) in Self.portals.enumerated() {
            world.server.set(Self.copies[copy]())
            let fetchRequest = request("/\(number)")
            let good = try await FetchedText(world.cache.fetch(fetchRequest)).body
            world.clock.advance(by: .seconds(100))
            world.server.set(portal())
            for strategy in [SingleAnswerStrategy.networkElseCache, .reload] {
                let got = try await FetchedText(world.cache.fetch(fetchRequest, strategy))
                #expect(got.origin == .network, "portal \(number)")
                let stored = try await FetchedText(world.cache.fetch(fetchRequest, .cacheOnly))
                #expect(stored.body == good, "portal \(number)")
            }
        }
    }

    /// What a captive portal, or a server, answers to a HEAD or to a write.
    static let answers: [@Sendable () -> TransportResponse] = [
        { answer(.ok, [.contentType: "text/html"], page) },
        { answer(.ok, [.contentType: "Text/HTML; charset=utf-8", .eTag: "\"portal\""], page) },
        { answer(.ok, [.cacheControl: "no-cache, no-store, must-revalidate"], page) }, { typed(["junk"], page) },
        { typed(["application/json", "text/html"], page) }, { answer(.ok, freshFor) }, { answer(.noContent, freshFor) },
        { answer(.found, [.location: "http://portal.test/"]) },
        { answer(.seeOther, [.contentType: "text/html"], page) },
        { answer(.created, [.contentType: "text/html"], page) }, { answer(.ok, [.vary: "*"], page) },
    ]

    @Test(arguments: CacheUnderTest.keeping, [HTTPRequest.Method.head, .post, .delete])
    func `is validated after a HEAD or a write before its next use, and used offline`(
        under: CacheUnderTest, method: HTTPRequest.Method
    ) async throws {
        let directory = TemporaryDirectory()
        let world = StoredCopyWorld(try under.make(directory))
        for (number, answer) in Self.answers.enumerated() {
            let good: @Sendable () -> TransportResponse = {
                json(StoredCopyWorld.good, "max-age=600", [.eTag: "\"1\""])
            }
            world.server.set(good())
            let fetchRequest = request("/\(number)")
            _ = try await FetchedText(world.cache.fetch(fetchRequest))
            world.server.set(answer())
            _ = try await FetchedText(
                world.cache.fetch(request("/\(number)", [.cacheControl: "no-cache"], method: method)))
            let stored = try await FetchedText(world.cache.fetch(fetchRequest, .cacheOnly))
            #expect(
                stored.body == StoredCopyWorld.good && stored.fields[.contentType] == "application/json", "\(number)")
            // No other status of a HEAD says anything.
            if method == .head, ![200].contains(answer().head.status.code) { continue }
            #expect(!stored.isFresh, "\(number)")
            world.server.stop()
            let offline = try await FetchedText(world.cache.fetch(fetchRequest, .staleIfOffline))
            #expect(offline.body == StoredCopyWorld.good && offline.isExpiredServedOffline, "\(number)")
            world.server.restart()
            world.server.set(good())
            let sent = world.server.sent.count
            #expect(try await FetchedText(world.cache.fetch(fetchRequest)).body == StoredCopyWorld.good)
            #expect(world.server.sent.count == sent + 1, "\(number)")
        }
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `is not hidden by what another variant's request brings without Vary`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let world = StoredCopyWorld(try under.make(directory))
        let answers =
            Self.portals + [{ Self.answer(.notFound, Self.freshFor) }, { Self.answer(.found, Self.freshFor) }]
        for (number, portal) in answers.enumerated() {
            let german = request("/\(number)", [.acceptLanguage: "de"])
            world.server.set(json(StoredCopyWorld.good, "max-age=600", [.vary: "Accept-Language"]))
            _ = try await FetchedText(world.cache.fetch(german))
            world.server.set(portal())
            let french = try await FetchedText(world.cache.fetch(request("/\(number)", [.acceptLanguage: "fr"])))
            #expect(french.origin == .network)
            for strategy in [SingleAnswerStrategy.cacheOnly, .standard] {
                #expect(
                    try await FetchedText(world.cache.fetch(german, strategy)).body == StoredCopyWorld.good,
                    "portal \(number)")
            }
        }
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `stays beside variants that no request selects with it`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let place = try under.make(directory)
        let world = StoredCopyWorld(place)
        world.server.set(json(StoredCopyWorld.good, "max-age=600", [.vary: "Accept-Language"]))
        _ = try await FetchedText(world.cache.fetch(request("/a", [.acceptLanguage: "de"])))
        let page: HTTPFields = [
            .contentType: "text/html", .cacheControl: "max-age=600", .vary: "Accept-Language, Accept-Encoding",
        ]
        world.server.set(ok(page, Self.page))
        let french = request("/a", [.acceptLanguage: "fr"])
        #expect(try await FetchedText(world.cache.fetch(french)).fetched.storage.word == "stored")
        #expect(try await place.entries(for: key()).count == 2)
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `that came while another answer was on its way is not replaced by that`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let place = try under.make(directory)
        let barrier = FetchBarrier()
        let cache = HTTPCache(
            transport: HandlerTransport { (request, _) throws(TransportError) in
                guard request.headerFields[.accept] == "late" else { return json(StoredCopyWorld.good, "max-age=600") }
                await barrier.wait()
                return ok(Self.freshFor, Self.page)
            }, persistent: place, services: .virtual(VirtualClock()))
        let late = Task { try await FetchedText(cache.fetch(request("/a", [.accept: "late"]))).body }
        for _ in 0..<1000 { await Task.yield() }
        #expect(try await FetchedText(cache.fetch(request(), .reload)).body == StoredCopyWorld.good)
        barrier.open()
        #expect(try await late.value == Self.page)
        #expect(try await FetchedText(cache.fetch(request(), .cacheOnly)).body == StoredCopyWorld.good)
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `is replaced by content of its kind, and by what was requested`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let world = StoredCopyWorld(try under.make(directory))
        let page: HTTPFields = [.contentType: "text/html"]
        let steps: [(HTTPFields, String, HTTPFields, String, HTTPFields)] = [
            ([:], "{1}", [:], "{2}", [:]), ([:], "<a>1</a>", [:], "<a>2</a>", [:]),
            (page, Self.page, page, "<p>2", [:]),
            (page, Self.page, [:], "<html>2", [:]), (page, Self.page, [.contentType: "text/plain"], "2", [:]),
            ([:], "", [:], "<p>2", [:]), ([:], "{1}", [:], "<p>2", [.accept: "text/html"]),
            ([:], "{1}", [.contentType: "application/xml"], "<a>2</a>", [.accept: "Application/XML;q=0.9, */*"]),
            ([.contentType: "application/rss+xml"], "<rss>1", [.contentType: "text/xml"], "<rss>2", [:]),
            ([:], "{1}", [.contentType: "image/svg+xml"], "<svg/>", [:]),
            ([:], "{1}", [.contentType: "junk"], "{2}", [:]),
        ]
        for (number, (fields, body, newFields, newBody, asking)) in steps.enumerated() {
            let fetchRequest = request("/\(number)", asking)
            world.server.set(ok(fields, body))
            #expect(try await FetchedText(world.cache.fetch(fetchRequest)).body == body)
            world.server.set(ok(newFields, newBody))
            _ = try await FetchedText(world.cache.fetch(fetchRequest, .reload))
            #expect(
                try await FetchedText(world.cache.fetch(fetchRequest, .cacheOnly)).body == newBody, "step \(number)")
        }
    }
}

extension TransportResponse {
    init(status: HTTPResponse.Status, headers: HTTPFields, chunks: [String]) {
        self.init(
            head: HTTPResponse(status: status, headerFields: headers),
            body: TransportBody(chunks: chunks.map { Array($0.utf8) }))
    }
}
