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
        let bench = Bench(Self.handler)
        _ = try await bench.get()
        let part = try await bench.get("/a", fields: [.range: "bytes=2-4"])
        #expect(part.status == 206)
        #expect(part.body == "234")
        #expect(part.fields[.contentRange] == "bytes 2-4/10")
        #expect(part.origin == .cache)
        #expect(bench.requests.count == 1)
    }

    @Test func `is kept as a part, and answers for what it holds`() async throws {
        let bench = Bench(Self.handler)
        #expect(try await bench.get("/a", fields: [.range: "bytes=2-6"]).body == "23456")
        let part = try await bench.get("/a", fields: [.range: "bytes=3-4"])
        #expect(part.body == "34")
        #expect(part.origin == .cache)
        #expect(try await bench.get().body == Self.whole)
        #expect(bench.requests.count == 2)
    }

    @Test func `that cannot be stored with the stored part is fetched as the whole`() async throws {
        let bench = Bench(Self.handler)
        bench.server.plan(.cut(after: 4), exchange: 0)
        await #expect(throws: HTTPCacheError.self) { _ = try await bench.get() }
        bench.store.failWrites()
        #expect(try await bench.get().body == Self.whole)
        #expect(bench.requests.count == 3)
    }

    @Test func `of a body that broke off is fetched alone, and both parts are the whole`() async throws {
        let bench = Bench(Self.handler)
        bench.server.plan(.cut(after: 4), exchange: 0)
        await #expect(throws: HTTPCacheError.self) { _ = try await bench.get() }
        let got = try await bench.get()
        #expect(got.status == 200)
        #expect(got.body == Self.whole)
        #expect(bench.requests[1].headerFields[.range] == "bytes=4-")
        #expect(bench.requests[1].headerFields[.ifRange] == "\"1\"")
        #expect(bench.store.all.map(\.response.coverage) == [.whole])
        #expect(try await bench.get().origin == .cache)
    }

    @Test func `that the server does not know any more makes it asked for the whole`() async throws {
        let bench = Bench(Self.handler)
        bench.server.plan(.cut(after: 4), exchange: 0)
        await #expect(throws: HTTPCacheError.self) { _ = try await bench.get() }
        bench.server.plan(.status(.rangeNotSatisfiable), .header(.contentRange, "bytes */2"), .body([]), exchange: 1)
        let got = try await bench.get()
        #expect(got.status == 200)
        #expect(got.body == Self.whole)
        #expect(bench.requests[2].headerFields[.range] == nil)
    }

    @Test func `of another version than what is stored takes its place not`() async throws {
        let bench = Bench(Self.handler)
        _ = try await bench.get()
        bench.clock.advance(by: .seconds(100))
        bench.server.plan(.header(.eTag, "\"2\""), exchange: 1)
        let part = try await bench.get("/a", .reload, fields: [.range: "bytes=2-4"])
        #expect(part.status == 206)
        #expect(part.body == "234")
    }

    @Test func `is not asked for by HEAD, which is answered from what GET stored`() async throws {
        let bench = Bench(Self.handler)
        _ = try await bench.get()
        let head = try await Got(bench.cache.fetch(request("/a", method: .head)))
        #expect(head.status == 200)
        #expect(head.body == "")
        #expect(head.fields[.contentLength] == "10")
        #expect(bench.requests.count == 1)
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A HEAD` {
    @Test func `is not stored`() async throws {
        let bench = Bench([.cacheControl: "max-age=60", .contentLength: "10"], "")
        #expect(try await Got(bench.cache.fetch(request("/a", method: .head))).status == 200)
        #expect(bench.store.all.isEmpty)
    }

    @Test func `renews what agrees with it, and makes stale what does not`() async throws {
        let bench = Bench(tagged("\"1\"", "max-age=60"))
        _ = try await bench.get()
        bench.clock.advance(by: .seconds(100))
        let head = request("/a", [.cacheControl: "no-cache"], method: .head)
        bench.server.plan(.status(.ok), .header(.eTag, "\"1\""), .body([]), exchange: 1)
        _ = try await bench.cache.fetch(head)
        #expect(await bench.eventually { bench.store.counts.refreshes == 1 })
        #expect(try await bench.get().origin == .cache)
        bench.server.plan(.status(.ok), .header(.eTag, "\"2\""), .body([]), exchange: 2)
        _ = try await bench.cache.fetch(head)
        #expect(await bench.eventually { bench.store.all.first?.response.isInvalidated == true })
    }
}
