// Proves that each error of the cache is classified correctly and leaves the stored responses in the right state.

import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A failure` {
    private static func flags(of error: HTTPCacheError) -> [Bool] {
        [
            error.isAuthenticationError, error.isServerError, error.isNetworkError, error.isNoConnectionError,
            error.isParseError, error.isTimeoutError,
        ]
    }

    /// §2.1.15, §2.1.16, §2.1.17, §2.1.18, §2.1.19, §2.1.20.
    @Test func `sets one of the six flags, and no other`() {
        struct UnknownError: Error {}
        func onlyTrue(_ place: Int) -> [Bool] { (0..<6).map { $0 == place } }
        for code in [401, 403] {
            #expect(Self.flags(of: .server(HTTPResponse(status: .init(code: code)))) == onlyTrue(0))
        }
        for code in [302, 400, 404, 500, 503] {
            #expect(Self.flags(of: .server(HTTPResponse(status: .init(code: code)))) == onlyTrue(1))
        }
        #expect(Self.flags(of: .redirectedTooOften(HTTPResponse(status: .found))) == onlyTrue(1))
        for error in [TransportError.connectionLost(reason: ""), .tls(reason: ""), .encodedBody, .other(reason: "")] {
            #expect(Self.flags(of: .transport(error)) == onlyTrue(2))
        }
        for error in [TransportError.connectionRefused, .noConnection(reason: "")] {
            #expect(Self.flags(of: .transport(error)) == onlyTrue(3))
        }
        #expect(Self.flags(of: .parse(UnknownError())) == onlyTrue(4))
        for phase in [TransportError.Phase.connect, .head, .idle] {
            #expect(Self.flags(of: .transport(.timeout(phase))) == onlyTrue(5))
        }
    }

    @Test func `of a status is an answer to a fetch, and thrown where a value is fetched`() async throws {
        let fixture = CacheFixture { (_, _) throws(TransportError) in TransportResponse(status: .forbidden) }
        #expect(try await fixture.get().status == 403)
        let error = await #expect(throws: HTTPCacheError.self) {
            _ = try await fixture.cache.value(of: request()) { $0.count }
        }
        #expect(error?.isAuthenticationError == true)
    }

    @Test func `to decode what is stored removes it, and sends one request`() async throws {
        struct UnknownError: Error {}
        let fixture = CacheFixture([.cacheControl: "max-age=600"], "bad")
        _ = try await fixture.get()
        fixture.server.plan(.body(Array("good".utf8)), exchange: 1)
        let decode: @Sendable ([UInt8]) throws -> String = { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            if text == "bad" { throw UnknownError() }
            return text
        }
        let fetched = try await fixture.cache.value(of: request(), decoding: decode)
        #expect(fetched.value == "good")
        #expect(fetched.origin == .network)
        #expect(try await fixture.cache.value(of: request(), decoding: decode).origin == .cache)
        #expect(fixture.requests.count == 2)
    }

    @Test func `to understand the network's answer is an error, and leaves nothing stored`() async throws {
        struct UnknownError: Error {}
        let fixture = CacheFixture([.cacheControl: "max-age=600"], "bad")
        let error = await #expect(throws: HTTPCacheError.self) {
            _ = try await fixture.cache.value(of: request()) { _ -> Int in throw UnknownError() }
        }
        #expect(error?.isParseError == true)
        #expect(fixture.requests.count == 1)
        #expect(fixture.store.all.isEmpty)
    }

    @Test func `to send what is too large comes before anything is sent, and only offline`() async throws {
        let fixture = CacheFixture([:], options: HTTPCacheOptions(fileLimit: 10))
        var fetchRequest = request("/a", method: .post)
        fetchRequest.body = [UInt8](repeating: 7, count: 11)
        #expect(try await FetchedText(fixture.cache.fetch(fetchRequest)).status == 200)
        fixture.setOnline(false)
        let error = await #expect(throws: HTTPCacheError.self) { _ = try await fixture.cache.fetch(fetchRequest) }
        if case .uploadTooLarge(11, 10)? = error {} else { Issue.record("\(String(describing: error))") }
        #expect(fixture.requests.count == 1)
    }

    @Test(arguments: ["ftp://a/b", "http://", "http://a b/", "/a", "http://user@a/", "http://a/%zz"])
    func `to name a resource is no request`(url: String) {
        #expect(FetchRequest(url) == nil)
    }

    @Test func `does not come from a fragment, a default port or capitals`() async throws {
        let fixture = CacheFixture([.cacheControl: "max-age=600"])
        for url in ["http://origin.test/a#top", "HTTP://Origin.Test:80/a", "http://origin.test/a"] {
            _ = try await FetchedText(fixture.cache.fetch(try #require(FetchRequest(url))))
        }
        #expect(fixture.requests.count == 1)
        #expect(try #require(FetchRequest("http://a?b=c")).request.path == "/?b=c")
    }
}
