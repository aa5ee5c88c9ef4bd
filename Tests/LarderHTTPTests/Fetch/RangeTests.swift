// Proves that ranges are served from stored bodies, stored as parts and combined, and that HEAD renews or invalidates.

import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A range of a response` {
    private static let whole = "0123456789"

    /// A server that answers one range of one part, on condition.
    private static let handler: HandlerTransport.Handler = { (request, _) throws(TransportError) in
        var fields: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"1\"", .acceptRanges: "bytes"]
        let bounds = request.headerFields[.range]?.dropFirst("bytes=".count).split(separator: "-").compactMap {
            Int($0)
        }
        guard let bounds, let first = bounds.first, request.headerFields[.ifRange].map({ $0 == "\"1\"" }) ?? true else {
            fields[.contentLength] = "10"
            return ok(fields, whole)
        }
        let last = bounds.count > 1 ? bounds[1] : 9
        fields[.contentRange] = "bytes \(first)-\(last)/10"
        fields[.contentLength] = "\(last - first + 1)"
        let body = Array(whole.utf8)[first...last]
        return TransportResponse(status: .partialContent, headers: fields, body: Array(body))
    }

    @Test func `is cut out of a stored body`() async throws {
        let fixture = CacheFixture(Self.handler)
        _ = try await fixture.get()
        let part = try await fixture.get("/a", fields: [.range: "bytes=2-4"])
        #expect(part.status == 206)
        #expect(part.body == "234")
        #expect(part.fields[.contentRange] == "bytes 2-4/10")
        #expect(part.origin == .cache)
        #expect(fixture.requests.count == 1)
    }

    @Test func `is stored as a part, and answers for what it holds`() async throws {
        let fixture = CacheFixture(Self.handler)
        #expect(try await fixture.get("/a", fields: [.range: "bytes=2-6"]).body == "23456")
        let part = try await fixture.get("/a", fields: [.range: "bytes=3-4"])
        #expect(part.body == "34")
        #expect(part.origin == .cache)
        #expect(try await fixture.get().body == Self.whole)
        #expect(fixture.requests.count == 2)
    }

    @Test func `that cannot be stored with the stored part is fetched as the whole`() async throws {
        let fixture = CacheFixture(Self.handler)
        fixture.server.plan(.cut(after: 4), exchange: 0)
        await #expect(throws: HTTPCacheError.self) { _ = try await fixture.get() }
        fixture.store.failWrites()
        #expect(try await fixture.get().body == Self.whole)
        #expect(fixture.requests.count == 3)
    }

    @Test func `of a body that broke off is fetched alone, and both parts are the whole`() async throws {
        let fixture = CacheFixture(Self.handler)
        fixture.server.plan(.cut(after: 4), exchange: 0)
        await #expect(throws: HTTPCacheError.self) { _ = try await fixture.get() }
        let got = try await fixture.get()
        #expect(got.status == 200)
        #expect(got.body == Self.whole)
        #expect(fixture.requests[1].headerFields[.range] == "bytes=4-")
        #expect(fixture.requests[1].headerFields[.ifRange] == "\"1\"")
        #expect(fixture.store.all.map(\.response.coverage) == [.whole])
        #expect(try await fixture.get().origin == .cache)
    }

    @Test func `that the server does not know any more causes a fetch of the whole`() async throws {
        let fixture = CacheFixture(Self.handler)
        fixture.server.plan(.cut(after: 4), exchange: 0)
        await #expect(throws: HTTPCacheError.self) { _ = try await fixture.get() }
        fixture.server.plan(.status(.rangeNotSatisfiable), .header(.contentRange, "bytes */2"), .body([]), exchange: 1)
        let got = try await fixture.get()
        #expect(got.status == 200)
        #expect(got.body == Self.whole)
        #expect(fixture.requests[2].headerFields[.range] == nil)
    }

    @Test func `of another version than what is stored does not replace it`() async throws {
        let fixture = CacheFixture(Self.handler)
        _ = try await fixture.get()
        fixture.clock.advance(by: .seconds(100))
        fixture.server.plan(.header(.eTag, "\"2\""), exchange: 1)
        let part = try await fixture.get("/a", .reload, fields: [.range: "bytes=2-4"])
        #expect(part.status == 206)
        #expect(part.body == "234")
    }

    @Test func `is not requested by HEAD, which is answered from what GET stored`() async throws {
        let fixture = CacheFixture(Self.handler)
        _ = try await fixture.get()
        let head = try await FetchedText(fixture.cache.fetch(request("/a", method: .head)))
        #expect(head.status == 200)
        #expect(head.body == "")
        #expect(head.fields[.contentLength] == "10")
        #expect(fixture.requests.count == 1)
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A HEAD` {
    @Test func `is not stored`() async throws {
        let fixture = CacheFixture([.cacheControl: "max-age=60", .contentLength: "10"], "")
        #expect(try await FetchedText(fixture.cache.fetch(request("/a", method: .head))).status == 200)
        #expect(fixture.store.all.isEmpty)
    }

    @Test func `renews what agrees with it, and makes stale what does not`() async throws {
        let fixture = CacheFixture(tagged("\"1\"", "max-age=60"))
        _ = try await fixture.get()
        fixture.clock.advance(by: .seconds(100))
        let head = request("/a", [.cacheControl: "no-cache"], method: .head)
        fixture.server.plan(.status(.ok), .header(.eTag, "\"1\""), .body([]), exchange: 1)
        _ = try await fixture.cache.fetch(head)
        #expect(await fixture.waitUntil { fixture.store.counts.refreshes == 1 })
        #expect(try await fixture.get().origin == .cache)
        fixture.server.plan(.status(.ok), .header(.eTag, "\"2\""), .body([]), exchange: 2)
        _ = try await fixture.cache.fetch(head)
        #expect(await fixture.waitUntil { fixture.store.all.first?.response.isInvalidated == true })
    }
}
