// Proves that a body decoded by the transport is stored, found, validated and refused as an uncompressed one would be.
#if Server && AsyncHTTPClient
import HTTPOrigin
import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct `An answer that travels compressed` {
    private static let text = (0..<30_000).map { "{\"word\":\($0)}" }.joined(separator: ",")

    private static func page(tag: String = "\"v1\"") -> OriginPage {
        var page = OriginPage(text, etag: tag, cacheControl: "max-age=60")
        page.isCompressed = true
        return page
    }

    private static func makeRequest(_ address: String, _ fields: HTTPFields = [:]) throws -> FetchRequest {
        try #require(FetchRequest(address + "/list", fields: fields))
    }

    @Test func `is stored decoded, found in spite of Vary, cut into ranges, and validated by its tag`() async throws {
        let world = try CacheWorld(.asyncHTTPClient)
        world.origin["/list"] = Self.page()
        try await world.origin.serve { address in
            for expected in [AnswerOrigin.network, .cache] {
                let answer = try await world.cache.fetch(Self.makeRequest(address))
                #expect(answer.origin == expected)
                #expect(answer.value.head.headerFields[.contentEncoding] == nil)
                #expect(answer.value.head.headerFields[.contentLength] == nil)
                #expect(try await answer.text() == Self.text)
            }
            let part = try await world.cache.fetch(Self.makeRequest(address, [.range: "bytes=2-4"]))
            #expect(part.value.head.headerFields[.contentRange] == "bytes 2-4/\(Self.text.utf8.count)")
            #expect(try await part.text() == "wor")
            #expect(world.origin.requests.map { $0["accept-encoding"]?.contains("gzip") } == [true])
            world.clock.advance(by: .seconds(61))
            #expect(try await world.cache.fetch(Self.makeRequest(address)).origin == .revalidated)
            #expect(world.origin.requests.last?["if-none-match"] == "\"v1\"")
        }
    }

    @Test func `is no part when it breaks off, and is requested whole the next time`() async throws {
        let world = try CacheWorld(.asyncHTTPClient)
        world.origin["/list"] = Self.page()
        world.origin["/list"]?.fault = .cut(after: 200_000)
        try await world.origin.serve { address in
            let error = await #expect(throws: HTTPCacheError.self) {
                _ = try await world.cache.fetch(Self.makeRequest(address)).text()
            }
            #expect(error?.isNetworkError == true)
            world.origin["/list"]?.fault = nil
            let again = try await world.cache.fetch(Self.makeRequest(address)).text()
            #expect(again == Self.text)
            #expect(world.origin.requests.map { $0["range"] } == [nil, nil])
        }
    }

    @Test func `is plain where a range completes what came plain`() async throws {
        let world = try CacheWorld(.asyncHTTPClient)
        world.origin["/list"] = OriginPage(Self.text, etag: "\"v1\"", cacheControl: "max-age=60")
        world.origin["/list"]?.fault = .cut(after: 200_000)
        try await world.origin.serve { address in
            await #expect(throws: HTTPCacheError.self) {
                _ = try await world.cache.fetch(Self.makeRequest(address)).text()
            }
            world.origin["/list"] = Self.page()
            #expect(try await world.cache.fetch(Self.makeRequest(address)).text() == Self.text)
            let last = try #require(world.origin.requests.last)
            #expect(last["range"] != nil && last["if-range"] == "\"v1\"" && last["accept-encoding"] == "identity")
            #expect(try await world.cache.fetch(Self.makeRequest(address), .cacheOnly).text() == Self.text)
        }
    }

    @Test func `is confirmed by a HEAD with the length of its coded form`() async throws {
        let world = try CacheWorld(.asyncHTTPClient)
        world.origin["/list"] = Self.page()
        try await world.origin.serve { address in
            _ = try await world.cache.fetch(Self.makeRequest(address)).text()
            let head = try #require(FetchRequest(address + "/list", method: .head, fields: [.cacheControl: "no-cache"]))
            #expect(try await world.cache.fetch(head).value.head.headerFields[.contentEncoding] == nil)
            #expect(world.origin.requests.map(\.method) == ["GET", "HEAD"])
            #expect(try await world.cache.fetch(Self.makeRequest(address)).origin == .cache)
        }
    }

    @Test func `is handed out coded to a request for the coding`() async throws {
        let world = try CacheWorld(.asyncHTTPClient)
        world.origin["/list"] = Self.page()
        try await world.origin.serve { address in
            let coded = try await world.cache.fetch(Self.makeRequest(address, [.acceptEncoding: "gzip"]))
            #expect(coded.value.head.headerFields[.contentEncoding] == "gzip")
            #expect(try await coded.value.body.bytes() == Deflated.gzip(Array(Self.text.utf8)))
            #expect(try await world.cache.fetch(Self.makeRequest(address)).text() == Self.text)
        }
    }

    private static let broken: [(name: String, bytes: @Sendable () -> [UInt8], isTooLarge: Bool)] = [
        ("a bomb", { Deflated.gzip([UInt8](repeating: 0, count: 10 << 20)) }, true),
        ("cut off", { Deflated.gzip(Array(text.utf8)).dropLast(20) }, false),
        (
            "damaged",
            {
                var bytes = Deflated.gzip(Array(text.utf8))
                bytes[bytes.count / 2] ^= 0x55
                return bytes
            }, false
        ),
        ("no gzip at all", { Array("<html>Sign in</html>".utf8) }, false),
    ]

    @Test(arguments: broken.indices)
    func `and cannot be decoded is an error, stored nowhere, and leaves the stored copy`(_ number: Int) async throws {
        let (name, bytes, isTooLarge) = Self.broken[number]
        let world = try CacheWorld(.asyncHTTPClient)
        world.origin["/list"] = Self.page()
        try await world.origin.serve { address in
            _ = try await world.cache.fetch(Self.makeRequest(address)).text()
            world.clock.advance(by: .seconds(100))
            world.origin["/list"] = Self.page(tag: "\"v2\"")
            world.origin["/list"]?.fault = .garbled(bytes())
            world.origin["/other"] = world.origin["/list"]
            let other = try #require(FetchRequest(address + "/other"))
            for request in [try Self.makeRequest(address), other] {
                let error = await #expect(throws: HTTPCacheError.self) {
                    _ = try await world.cache.fetch(request, .reload).text()
                }
                switch error {
                case .transport(.bodyTooLarge): #expect(isTooLarge, "\(name)")
                case .transport(.encodedBody): #expect(!isTooLarge, "\(name)")
                default: Issue.record("\(name): \(String(describing: error))")
                }
            }
            #expect(try await world.cache.fetch(Self.makeRequest(address), .cacheOnly).text() == Self.text)
            await #expect(throws: HTTPCacheError.self) { _ = try await world.cache.fetch(other, .cacheOnly) }
        }
    }
}
#endif
