// Proves that the news reader reads offline what it has read or downloaded, says how old that is, and is spared by bad networks.

#if Server
import HTTPTypes
import Larder
import LarderServer
import LarderTesting
import LarderTransport
import LarderURLSession
import Testing

@testable import news_reader

@Suite(.timeLimit(.minutes(2))) struct `The news reader` {
    private let location = CacheLocation.temporary()
    private let articles = [
        Article(title: "The ferry runs", text: "Every half hour."),
        Article(title: "The bridge is closed", text: "For weeks."),
    ]

    private func reading(
        _ server: String, over transport: any Transport = URLSessionTransport(), clock: VirtualClock? = nil,
        _ body: (NewsReader) async throws -> Void
    ) async throws {
        let services = clock.map { CacheServices.scripted(transport, clock: $0) } ?? .system(transport)
        let reader = try await NewsReader(in: location, server: try #require(BaseURL(server)), services: services)
        try await body(reader)
        try await reader.close()
    }

    @Test func `reads from the server, then from the cache while that is fresh`() async throws {
        try await NewsServer.router(articles).serve { server in
            try await reading(server) { reader in
                let first = try await reader.frontPage()
                #expect(first.value.map(\.title) == ["The ferry runs", "The bridge is closed"])
                #expect(first.origin == .network)
                #expect(try await reader.frontPage().origin == .cache)
                #expect(try await reader.article(2).value == articles[1])
                #expect(try await String(decoding: reader.image(1).value, as: UTF8.self).hasPrefix("<svg"))
                await #expect(throws: HTTPCacheError.self) { try await reader.article(3) }
            }
        }
    }

    @Test func `reads what was downloaded when the server is gone`() async throws {
        let server = try await NewsServer.router(articles).serve { server in
            try await reading(server) { reader in
                _ = try await reader.article(1)
                let result = try await reader.download()
                #expect(result.received == 3 && result.fresh == 1 && result.failures.isEmpty)
            }
            return server
        }
        try await reading(server) { reader in
            for headline in try await reader.frontPage().value {
                #expect(await reader.storedAge(of: headline) != nil)
                #expect(try await reader.article(headline.number).value == articles[headline.number - 1])
                #expect(try await reader.image(headline.number).origin == .cache)
            }
            #expect(try await reader.forget() == 4)
            await #expect(throws: HTTPCacheError.self) { try await reader.article(2) }
        }
    }

    @Test func `says how old a stored page is, and why it is shown`() async throws {
        let clock = VirtualClock()
        let transport = ScriptedTransport(clock: clock)
        transport.on(.get, "/front.json").answer(200, #"[{"number":1,"title":"The ferry runs"}]"#, fields)
        try await reading("http://news.test", over: transport, clock: clock) { reader in
            let page = try await reader.frontPage()
            #expect(page.explanation.hasPrefix("from the server"))
        }
        clock.advance(by: .seconds(3 * 3600))
        try await reading("http://news.test", over: NoNetwork(), clock: clock) { reader in
            let page = try await reader.frontPage()
            #expect(page.value.map(\.title) == ["The ferry runs"])
            #expect(page.explanation == "from the cache, 3 h old: the server cannot be reached")
        }
    }

    @Test func `keeps its front page where a network answers in the server's place`() async throws {
        let clock = VirtualClock()
        let transport = ScriptedTransport(clock: clock)
        transport.on(.get, "/front.json").answer(200, #"[{"number":1,"title":"The ferry runs"}]"#, fields)
            .then(200, "<html>Accept our terms</html>", [.contentType: "text/html"])
        try await reading("http://news.test", over: transport, clock: clock) { reader in
            _ = try await reader.frontPage()
            clock.advance(by: .seconds(3600))
            await #expect(throws: HTTPCacheError.self) { try await reader.frontPage() }
        }
        try await reading("http://news.test", over: NoNetwork(), clock: clock) { reader in
            let page = try await reader.frontPage()
            #expect(page.value.count == 1)
        }
    }

    @Test func `runs from the command line`() async throws {
        let server = try Program("news-reader", ["serve", "--port", "0"])
        let address = try await server.wait(for: /are at (http:\S+)\n/)
        let options = ["--server", address, "--directory", location.path]
        let read = try await Program.run("news-reader", ["read", "1"] + options)
        #expect(read.status == 0 && read.text.contains("\n[from the server: "))
        #expect(try await Program.run("news-reader", ["download"] + options).text.contains("0 failed"))
        let stored = try await Program.run("cachetool", ["responses", location.path])
        #expect(stored.text.matches(of: /\tpinned\n/).count == 8, "eviction may remove what was downloaded")
        #expect(try await server.interrupt() == 0)
        let list = try await Program.run("news-reader", ["--offline"] + options)
        #expect(list.status == 0 && list.text.contains("(stored, "))
        let missing = try await Program.run("news-reader", ["read", "99", "--offline"] + options)
        #expect(missing.status == 1 && missing.text.contains("not stored, and not received: no connection"))
    }

    private var fields: HTTPFields { [.cacheControl: "max-age=60"] }
}
#endif
