import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A failure` {
    private static func answers(_ error: HTTPCacheError) -> [Bool] {
        [
            error.isAuthenticationError, error.isServerError, error.isNetworkError, error.isNoConnectionError,
            error.isParseError, error.isTimeoutError,
        ]
    }

    /// §2.1.15, §2.1.16, §2.1.17, §2.1.18, §2.1.19, §2.1.20.
    @Test func `answers one of the six questions with yes, and the others with no`() {
        struct Odd: Error {}
        func yes(_ place: Int) -> [Bool] { (0..<6).map { $0 == place } }
        for code in [401, 403] { #expect(Self.answers(.server(HTTPResponse(status: .init(code: code)))) == yes(0)) }
        for code in [302, 400, 404, 500, 503] {
            #expect(Self.answers(.server(HTTPResponse(status: .init(code: code)))) == yes(1))
        }
        #expect(Self.answers(.redirectedTooOften(HTTPResponse(status: .found))) == yes(1))
        for error in [TransportError.connectionLost(reason: ""), .tls(reason: ""), .encodedBody, .other(reason: "")] {
            #expect(Self.answers(.transport(error)) == yes(2))
        }
        for error in [TransportError.connectionRefused, .noConnection(reason: "")] {
            #expect(Self.answers(.transport(error)) == yes(3))
        }
        #expect(Self.answers(.parse(Odd())) == yes(4))
        for phase in [TransportError.Phase.connect, .head, .idle] {
            #expect(Self.answers(.transport(.timeout(phase))) == yes(5))
        }
    }

    @Test func `of a status is an answer to a fetch, and thrown where a value is asked for`() async throws {
        let bench = Bench { (_, _) throws(TransportError) in TransportResponse(status: .forbidden) }
        #expect(try await bench.get().status == 403)
        let error = await #expect(throws: HTTPCacheError.self) {
            _ = try await bench.cache.value(of: request()) { $0.count }
        }
        #expect(error?.isAuthenticationError == true)
    }

    @Test func `to understand what is stored removes it, and asks the network once`() async throws {
        struct Odd: Error {}
        let bench = Bench([.cacheControl: "max-age=600"], "bad")
        _ = try await bench.get()
        bench.server.plan(.body(Array("good".utf8)), exchange: 1)
        let decode: @Sendable ([UInt8]) throws -> String = { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            if text == "bad" { throw Odd() }
            return text
        }
        let fetched = try await bench.cache.value(of: request(), decoding: decode)
        #expect(fetched.value == "good")
        #expect(fetched.origin == .network)
        #expect(try await bench.cache.value(of: request(), decoding: decode).origin == .cache)
        #expect(bench.requests.count == 2)
    }

    @Test func `to understand the network's answer is an error, and leaves nothing stored`() async throws {
        struct Odd: Error {}
        let bench = Bench([.cacheControl: "max-age=600"], "bad")
        let error = await #expect(throws: HTTPCacheError.self) {
            _ = try await bench.cache.value(of: request()) { _ -> Int in throw Odd() }
        }
        #expect(error?.isParseError == true)
        #expect(bench.requests.count == 1)
        #expect(bench.store.all.isEmpty)
    }

    @Test func `to send what is too large comes before anything is sent, and only offline`() async throws {
        let bench = Bench([:], options: HTTPCacheOptions(fileLimit: 10))
        var asked = request("/a", method: .post)
        asked.body = [UInt8](repeating: 7, count: 11)
        #expect(try await Got(bench.cache.fetch(asked)).status == 200)
        bench.setOnline(false)
        let error = await #expect(throws: HTTPCacheError.self) { _ = try await bench.cache.fetch(asked) }
        if case .uploadTooLarge(11, 10)? = error {} else { Issue.record("\(String(describing: error))") }
        #expect(bench.requests.count == 1)
    }

    @Test(arguments: ["ftp://a/b", "http://", "http://a b/", "/a", "http://user@a/", "http://a/%zz"])
    func `to name a resource is no request`(url: String) {
        #expect(FetchRequest(url) == nil)
    }

    @Test func `does not come from a fragment, a default port or capitals`() async throws {
        let bench = Bench([.cacheControl: "max-age=600"])
        for url in ["http://origin.test/a#top", "HTTP://Origin.Test:80/a", "http://origin.test/a"] {
            _ = try await Got(bench.cache.fetch(try #require(FetchRequest(url))))
        }
        #expect(bench.requests.count == 1)
        #expect(try #require(FetchRequest("http://a?b=c")).request.path == "/?b=c")
    }
}
