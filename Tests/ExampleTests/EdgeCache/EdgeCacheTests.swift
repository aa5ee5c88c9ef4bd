// Proves that the edge cache answers by the rules of a shared cache, says how, and lives through an origin that is down.

#if Server && AsyncHTTPClient
import HTTPOrigin
import HTTPTypes
import Larder
import LarderAsyncHTTPClient
import LarderServer
import LarderStore
import LarderTransport
import Testing

@testable import edge_cache

@Suite(.timeLimit(.minutes(2))) struct `The edge cache` {
    private let client = Client()
    private let origin = HTTPOrigin()
    private let location = CacheLocation.temporary()

    /// Runs `body` with the address of an edge in front of `origin`.
    private func serve(
        _ origin: String, cap: Int64? = nil, alwaysServesStale: Bool = false, timeout: Duration = .seconds(10),
        _ body: (String) async throws -> Void
    ) async throws {
        let transport = AsyncHTTPClientTransport()
        let store = try Store.open(at: location.path, options: StoreOptions(sizeCap: cap))
        let edge = Edge(
            of: try #require(BaseURL(origin)), store: store, transport: transport, timeout: timeout,
            alwaysServesStale: alwaysServesStale)
        try await edge.router.serve(grace: .seconds(1), body)
        await edge.cache.close()
        try store.close()
        await transport.shutdown()
    }

    @Test func `answers from the cache, with the age and the reason`() async throws {
        origin["/a"] = OriginPage("hello", etag: "\"1\"", cacheControl: "max-age=3600")
        try await origin.serve { address in
            try await serve(address) { edge in
                let first = try await client.get(edge + "/a")
                #expect(first.text == "hello")
                #expect(
                    first["cache-status"]?.hasPrefix("edge-cache; fwd=uri-miss; fwd-status=200; stored; ttl=") == true)
                let second = try await client.get(edge + "/a")
                #expect(second.text == "hello")
                #expect(second["cache-status"]?.hasPrefix("edge-cache; hit; ttl=") == true)
                #expect(second["age"].flatMap { Int($0) } != nil)
                #expect(second["via"] == "1.1 edge-cache")
                let head = try await client.send(.head, edge + "/a")
                #expect(head["cache-status"]?.hasPrefix("edge-cache; hit") == true)
                #expect(head["content-length"] == "5" && head.text.isEmpty)
            }
        }
        #expect(origin.count("/a") == 1)
    }

    @Test func `has a stale answer confirmed, and passes an unchanged one on as 304`() async throws {
        origin["/a"] = OriginPage("hello", etag: "\"1\"", cacheControl: "max-age=0")
        try await origin.serve { address in
            try await serve(address) { edge in
                _ = try await client.get(edge + "/a")
                let second = try await client.get(edge + "/a")
                #expect(second.text == "hello")
                #expect(second["cache-status"]?.hasPrefix("edge-cache; fwd=stale; fwd-status=304") == true)
                let third = try await client.get(edge + "/a", [.ifNoneMatch: "\"1\""])
                #expect(third.status == 304 && third.text.isEmpty)
            }
        }
        #expect(origin.requests.dropFirst().allSatisfy { $0["if-none-match"] == "\"1\"" })
    }

    @Test(arguments: [false, true])
    func `answers for an origin that is down, also after a restart`(_ always: Bool) async throws {
        origin["/a"] = OriginPage("hello", cacheControl: "max-age=0")
        origin["/strict"] = OriginPage("hello", cacheControl: "max-age=0, proxy-revalidate")
        let address = try await origin.serve { address in
            try await serve(address) { edge in
                for path in ["/a", "/strict"] { _ = try await client.get(edge + path) }
            }
            return address
        }
        try await serve(address, alwaysServesStale: always) { edge in
            let stored = try await client.get(edge + "/a")
            #expect(stored.text == "hello")
            #expect(stored["cache-status"]?.contains(/^edge-cache; hit; ttl=-?\d+; detail=disconnected$/) == true)
            #expect(try await client.get(edge + "/strict").status == (always ? 200 : 502))
            let missing = try await client.get(edge + "/b")
            #expect(missing.status == 502)
            #expect(missing.text.hasPrefix("The origin gave no answer, and nothing that is stored may be used:"))
        }
    }

    @Test func `gives up on an origin that is too slow`() async throws {
        origin["/a"] = OriginPage("hello")
        origin["/a"]?.fault = .slow(.seconds(60))
        try await origin.serve { address in
            try await serve(address, timeout: .milliseconds(200)) { edge in
                let answer = try await client.get(edge + "/a")
                #expect(answer.status == 504)
                #expect(answer.text == "The origin is too slow: no response within the time limit.\n")
            }
        }
    }

    @Test func `passes other methods on, and drops what they change`() async throws {
        try await DemoOrigin.router().serve { address in
            try await serve(address) { edge in
                #expect(try await client.get(edge + "/count").text == "0\n")
                let post = try await client.send(.post, edge + "/count", body: "more")
                #expect(post.status == 204)
                #expect(post["cache-status"] == "edge-cache; fwd=method; fwd-status=204")
                #expect(try await client.get(edge + "/count").text == "1\n")
            }
        }
    }

    @Test func `stores nothing that is for one client`() async throws {
        origin["/private"] = OriginPage("for one", cacheControl: "private, max-age=60")
        origin["/login"] = OriginPage("for one", cacheControl: "max-age=60")
        origin["/login"]?.headers = [("Set-Cookie", "session=1")]
        origin["/shared"] = OriginPage("for all", cacheControl: "max-age=0, s-maxage=60")
        try await origin.serve { address in
            try await serve(address) { edge in
                for _ in 1...2 {
                    let answer = try await client.get(edge + "/private")
                    #expect(answer["cache-control"] == "private, max-age=60")
                    #expect(try await client.get(edge + "/login")["set-cookie"] == "session=1")
                    #expect(try await client.get(edge + "/shared")["cache-control"] == "max-age=0, s-maxage=60")
                }
                let personal = try await client.get(edge + "/shared", [.authorization: "Bearer 1"])
                #expect(personal["cache-status"] == "edge-cache; fwd=bypass; fwd-status=200")
            }
        }
        #expect(origin.count("/private") == 2)
        #expect(origin.count("/login") == 2)
        #expect(origin.count("/shared") == 2)
    }

    @Test func `passes no field of one hop on`() throws {
        let name = try #require(HTTPField.Name("X-Hop"))
        let fields: HTTPFields = [.connection: "close, X-Hop", name: "1", .te: "trailers", .accept: "text/plain"]
        #expect(Forwarding.request(fields) == [.accept: "text/plain", .via: "1.1 edge-cache"])
    }

    @Test func `breaks off where the origin does, and stores no part as a whole`() async throws {
        origin["/a"] = OriginPage([UInt8](repeating: 65, count: 200_000), cacheControl: "max-age=3600")
        origin["/a"]?.fault = .cut(after: 100_000)
        try await origin.serve { address in
            try await serve(address) { edge in
                await #expect(throws: TransportError.self) { try await client.get(edge + "/a") }
                origin["/a"]?.fault = nil
                let whole = try await client.get(edge + "/a")
                #expect(whole.text.utf8.count == 200_000)
            }
        }
    }

    @Test func `keeps below its cap by dropping what was not used for longest`() async throws {
        for number in 0..<8 {
            origin["/\(number)"] = OriginPage([UInt8](repeating: 65, count: 300_000), cacheControl: "max-age=3600")
        }
        try await origin.serve { address in
            try await serve(address, cap: 1 << 20) { edge in
                for number in 0..<8 { _ = try await client.get(edge + "/\(number)") }
                #expect(try await client.get(edge + "/7")["cache-status"]?.contains("; hit;") == true)
                #expect(try await client.get(edge + "/0")["cache-status"]?.contains("; fwd=uri-miss;") == true)
            }
        }
    }

    @Test func `runs with a service of its own, until it is interrupted`() async throws {
        let program = try Program("edge-cache", ["--port", "0", "--directory", location.path])
        let edge = try await program.wait(for: /is cached at (http:\S+)\n/)
        #expect(try await client.get(edge + "/").text.contains("/time"))
        #expect(try await client.get(edge + "/")["cache-status"]?.contains("; hit;") == true)
        #expect(try await program.interrupt() == 0)
    }

    @Test func `reads sizes with units`() {
        #expect(ByteCount(argument: "256MiB")?.bytes == 256 << 20)
        #expect(ByteCount(argument: "1000")?.bytes == 1000)
        for text in ["", "MiB", "-1GiB", "1 MB", "9223372036854775807KiB"] { #expect(ByteCount(argument: text) == nil) }
    }
}
#endif
