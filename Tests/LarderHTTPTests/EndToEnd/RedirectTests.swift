// Proves that redirections are followed through a real server within the limit, without credentials to another origin.
#if Server
import HTTPOrigin
import HTTPTypes
import LarderHTTP
import LarderTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct `A redirection` {
    private static func redirect(_ status: Int, _ place: String, _ cacheControl: String = "no-store") -> OriginPage {
        var page = OriginPage("", cacheControl: cacheControl)
        page.status = status
        page.headers = [("Location", place)]
        return page
    }

    private static func world(_ transport: RealTransport, limit: Int = 5) throws -> CacheWorld {
        try CacheWorld(transport, options: HTTPCacheOptions(redirectLimit: limit))
    }

    private static func makeRequest(
        _ address: String, method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:], body: [UInt8]? = nil
    ) throws -> FetchRequest {
        try #require(FetchRequest(address, method: method, fields: fields, body: body))
    }

    @Test(arguments: RealTransport.allCases)
    func `is the answer by default`(_ transport: RealTransport) async throws {
        let world = try CacheWorld(transport)
        world.origin["/old"] = Self.redirect(302, "/new")
        try await world.origin.serve { address in
            let head = try await world.cache.fetch(Self.makeRequest(address + "/old")).value.head
            #expect(head.status == .found)
            #expect(world.origin.count("/new") == 0)
        }
    }

    @Test(arguments: RealTransport.allCases)
    func `is cached by its own rules, and what it leads to by others`(_ transport: RealTransport) async throws {
        let world = try Self.world(transport)
        world.origin["/kept"] = Self.redirect(301, "a/../new?x=1#part", "max-age=600")
        world.origin["/passing"] = Self.redirect(302, "/new?x=1")
        world.origin["/new"] = OriginPage("content", cacheControl: "max-age=60")
        try await world.origin.serve { address in
            for path in ["/kept", "/kept", "/passing", "/passing"] {
                #expect(try await world.cache.fetch(Self.makeRequest(address + path)).text() == "content")
            }
            #expect(["/kept", "/passing", "/new"].map(world.origin.count) == [1, 2, 1])
            world.clock.advance(by: .seconds(100))
            #expect(try await world.cache.fetch(Self.makeRequest(address + "/kept")).text() == "content")
            #expect(["/kept", "/new"].map(world.origin.count) == [1, 2])
            var named = try Self.makeRequest(address + "/kept")
            named.key = "name"
            #expect(try await world.cache.fetch(named).text() == "content")
            #expect(try await world.cache.fetch(named, .cacheOnly).text() == "content")
            var last: String?
            for try await answer in world.cache.answers(to: named, .cacheThenNetwork) { last = try await answer.text() }
            #expect(last == "content")
            let count = try await world.cache.value(of: named) { $0.count }
            #expect(count.value == 7)
        }
    }

    @Test(arguments: RealTransport.allCases)
    func `sends credentials and conditions nowhere they are not meant for`(_ transport: RealTransport) async throws {
        let world = try Self.world(transport)
        let other = HTTPOrigin()
        other["/there"] = OriginPage("theirs", cacheControl: "no-store")
        world.origin["/here"] = OriginPage("ours", cacheControl: "no-store")
        world.origin["/near"] = Self.redirect(307, "/here")
        try await other.serve { elsewhere in
            world.origin["/far"] = Self.redirect(307, elsewhere + "/there")
            try await world.origin.serve { address in
                var fields: HTTPFields = [
                    .authorization: "Bearer x", .cookie: "a=1", .ifNoneMatch: "\"1\"", .acceptLanguage: "de",
                ]
                fields[try #require(HTTPField.Name("X-API-Key"))] = "k"
                for (path, text) in [("/near", "ours"), ("/far", "theirs")] {
                    #expect(try await world.cache.fetch(Self.makeRequest(address + path, fields)).text() == text)
                }
            }
        }
        let names = ["authorization", "cookie", "x-api-key", "if-none-match", "accept-language"]
        let near = try #require(world.origin.requests.first { $0.path == "/here" })
        #expect(names.map { near[$0] } == ["Bearer x", "a=1", "k", nil, "de"])
        let far = try #require(other.requests.first)
        #expect(names.map { far[$0] } == [nil, nil, nil, nil, "de"])
    }

    @Test(
        arguments: [
            (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (303, "PUT", "GET"), (302, "PUT", "PUT"),
            (307, "POST", "POST"), (308, "POST", "POST"), (308, "PUT", "PUT"), (303, "HEAD", "HEAD"),
            (301, "HEAD", "HEAD"),
        ])
    func `keeps the method and the body, or makes a GET without one`(
        _ status: Int, _ method: String, _ expected: String
    ) async throws {
        let world = try Self.world(.urlSession)
        world.origin["/form"] = Self.redirect(status, "/result")
        world.origin["/result"] = OriginPage("done", cacheControl: "no-store")
        try await world.origin.serve { address in
            let method = try #require(HTTPRequest.Method(method))
            let body = method == .head ? nil : Array("a=1".utf8)
            let fields: HTTPFields = body == nil ? [:] : [.contentType: "text/x-form"]
            _ = try await world.cache.fetch(Self.makeRequest(address + "/form", method: method, fields, body: body))
                .text()
        }
        let last = try #require(world.origin.requests.last)
        #expect(last.path == "/result" && last.method == expected)
        let isSent = expected != "GET" && expected != "HEAD"
        #expect(last.body == (isSent ? Array("a=1".utf8) : []))
        if !isSent { #expect(last["content-type"] == nil) }
    }

    @Test(arguments: ["/one", "/1"])
    func `ends with an error in a circle, and beyond the limit`(_ start: String) async throws {
        let world = try Self.world(.urlSession, limit: 3)
        world.origin["/one"] = Self.redirect(302, "/two")
        world.origin["/two"] = Self.redirect(302, "/one")
        for number in 1...4 { world.origin["/\(number)"] = Self.redirect(302, "/\(number + 1)") }
        world.origin["/5"] = OriginPage("end", cacheControl: "no-store")
        try await world.origin.serve { address in
            let error = await #expect(throws: HTTPCacheError.self) {
                _ = try await world.cache.fetch(Self.makeRequest(address + start))
            }
            guard case .redirectedTooOften(let head)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(head.status == .found && error?.isServerError == true)
            #expect(world.origin.requests.count == (start == "/one" ? 2 : 4))
            let text = try await world.cache.fetch(Self.makeRequest(address + "/2")).text()
            #expect(text == "end")
        }
    }

    @Test(arguments: ["", "ftp://other.test/", "http://other.test:99999/", "mailto:a@b.test"])
    func `that names no address of the web is the answer`(_ place: String) async throws {
        let world = try Self.world(.urlSession)
        world.origin["/odd"] = Self.redirect(302, place)
        try await world.origin.serve { address in
            let answer = try? await world.cache.fetch(Self.makeRequest(address + "/odd"))
            // An empty reference is the address itself: a circle.
            #expect(answer?.value.head.status == (place.isEmpty ? nil : .found))
        }
    }
}
#endif
