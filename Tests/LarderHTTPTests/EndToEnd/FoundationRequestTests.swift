// Proves that a URLRequest reaches the cache with its method, fields, body and cache policy intact.
import Foundation
import HTTPTypes
import Larder
import LarderHTTP
import LarderTesting
import LarderTransport
import LarderURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct `A request of Foundation` {
    private static func convert(_ policy: URLRequest.CachePolicy) throws -> (FetchRequest, SingleAnswerStrategy) {
        let url = try #require(URL(string: "http://origin.test/a"))
        let request = URLRequest(url: url, cachePolicy: policy)
        return (try #require(FetchRequest(request)), SingleAnswerStrategy(request.cachePolicy))
    }

    @Test func `is fetched by its URL, without a fragment`() throws {
        let url = try #require(URL(string: "https://a.test:8080/b%20c/d?e=%C3%A4&f#g"))
        let request = try #require(FetchRequest(url)).request
        #expect(request.scheme == "https" && request.authority == "a.test:8080")
        #expect(request.path == "/b%20c/d?e=%C3%A4&f")
        #expect(request.method == .get)
        let relative = try #require(URL(string: "d?e", relativeTo: URL(string: "http://a.test/b/c")))
        #expect(FetchRequest(relative)?.request.path == "/b/d?e")
        for text in ["file:///etc/passwd", "d?e", "mailto:a@b.test", "ftp://a.test/b"] {
            #expect(URL(string: text).flatMap { FetchRequest($0) } == nil, "\(text)")
        }
    }

    @Test func `keeps its method, fields and body`() throws {
        var request = URLRequest(url: try #require(URL(string: "http://a.test/b?c")))
        request.httpMethod = "PUT"
        request.httpBody = Data("text".utf8)
        let fields = ["Content-Type": "text/plain; charset=utf-8", "X-List": "a, b", "Accept": ""]
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        let fetchRequest = try #require(FetchRequest(request))
        #expect(fetchRequest.request.method == .put)
        #expect(fetchRequest.body == Array("text".utf8))
        var found: [String: String] = [:]
        for field in fetchRequest.request.headerFields { found[field.name.rawName] = field.value }
        #expect(found == fields)
        #expect(fetchRequest.terms == RequestTerms())
    }

    @Test func `is not created where it contains what cannot be sent`() throws {
        let url = try #require(URL(string: "http://a.test/b"))
        var streamed = URLRequest(url: url)
        streamed.httpBodyStream = InputStream(data: Data("text".utf8))
        #expect(FetchRequest(streamed) == nil)
        var split = URLRequest(url: url)
        split.setValue("a\r\nInjected: b", forHTTPHeaderField: "X-List")
        #expect(FetchRequest(split)?.request.headerFields[.init("X-List")!]?.contains("\n") != true)
        var method = URLRequest(url: url)
        method.httpMethod = "GE T"
        #expect(FetchRequest(method) == nil)
    }

    @Test func `means by its policy what it means to a URLSession`() async throws {
        let fixture = CacheFixture { (request, _) throws(TransportError) in
            let fields: HTTPFields = [.eTag: "\"1\"", .cacheControl: "max-age=60, must-revalidate"]
            let isConditional = request.headerFields[.ifNoneMatch] != nil
            return isConditional ? TransportResponse(status: .notModified, headers: fields) : ok(fields)
        }
        func get(_ policy: URLRequest.CachePolicy) async throws -> AnswerOrigin {
            let (fetchRequest, strategy) = try Self.convert(policy)
            return try await FetchedText(fixture.cache.fetch(fetchRequest, strategy)).origin
        }
        await #expect(throws: HTTPCacheError.self) { try await get(.returnCacheDataDontLoad) }
        #expect(try await get(.returnCacheDataElseLoad) == .network)
        // Fresh.
        #expect(try await get(.useProtocolCachePolicy) == .cache)
        #expect(try await get(.reloadRevalidatingCacheData) == .revalidated)
        #expect(try await get(.reloadIgnoringLocalCacheData) == .network)
        #expect(fixture.requests.last?.headerFields[.cacheControl] == nil)
        #expect(try await get(.reloadIgnoringLocalAndRemoteCacheData) == .network)
        #expect(fixture.requests.last?.headerFields[.cacheControl] == "no-cache")
        // Expired, and its server forbids to use it so: the policy does not ask.
        fixture.clock.advance(by: .seconds(100))
        let sent = fixture.requests.count
        #expect(try await get(.returnCacheDataElseLoad) == .cache)
        #expect(try await get(.returnCacheDataDontLoad) == .cache)
        #expect(fixture.requests.count == sent)
        #expect(try await get(.useProtocolCachePolicy) == .revalidated)
        fixture.server.plan(.fail(.connectionRefused), times: 9) { _ in true }
        await #expect(throws: HTTPCacheError.self) { try await get(.reloadRevalidatingCacheData) }
    }
}
