// Freshness: proves what the article says about syncing, progress, the age of content, and what is shown without a network.

import Foundation
import Larder
import LarderServer
import LarderSync
import LarderTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Fresh content` {
    private typealias Verse = GettingStarted.Verse

    private let server: ArticleServer

    init() throws { server = try ArticleServer() }

    /// Runs `body` with a cache whose verses are readable offline, when the first sync has ended.
    private func filled(
        _ priority: SyncPriority = .normal, _ body: (ContentCache, SyncCoordinator) async throws -> Void
    ) async throws {
        let words = try await server.open()
        let content = try #require(words.content)
        try await server.running(words) {
            for await _ in words.keep("translations:*", priority: priority) {}
            for await status in content.statuses() where status.filters.first?.activity == .idle { break }
            try await body(words, content)
        }
    }

    /// Waits in real time until the first verse has another text.
    private func waitForChange(_ text: String, in words: ContentCache) async throws {
        for try await verses in words.observe(Verse.self, in: "translations/10", limit: 1)
        where verses.first?.text == text { break }
    }

    private func change(_ text: String) throws {
        try server.origin.putRow(ArticleServer.verse(1000, text), in: .init("translations", 10))
    }

    // MARK: - Kept content

    private func show(_ words: ContentCache, _ show: (Double?, String) -> Void) async {
        // block begins
        for await progress in words.keep("translations:*") {
            show(progress.fraction, progress.problem ?? progress.waitingFor ?? progress.description)
        }
        // block ends
    }

    @Test func `waits for a network, and says so until it is ready`() async throws {
        server.network.set(.offline)
        let words = try await server.open()
        try await server.running(words) {
            var lines: [String] = []
            await show(words) { fraction, line in
                lines.append(line)
                if line == "waits for the network" { server.network.set(.online) }
                if line.hasPrefix("ready") { #expect(fraction == 1) }
            }
            #expect(lines.contains("waits for the network"))
            #expect(lines.last == "ready offline, 1 resource")
        }
    }

    @Test func `ends with a problem to resolve, and is tried at once when it is kept again`() async throws {
        server.transport.plan(.status(.forbidden)) { $0.path?.contains("/sync?") == true }
        let words = try await server.open()
        try await server.running(words) {
            var last = (fraction: Double?.none, line: "")
            await show(words) { last = ($0, $1) }
            #expect(last.fraction == nil && last.line.hasPrefix("The server refused the request (403"))
            await show(words) { last = ($0, $1) }
            #expect(last.fraction == 1 && last.line == "ready offline, 1 resource")
        }
    }

    @Test func `is synced again after 15 minutes`() async throws {
        try await filled { words, _ in
            let start = server.clock.now
            try change("river dusk")
            try await server.clock.wait(for: "the change") {
                try words.row(Verse.self, 1000, in: "translations/10")?.text == "river dusk"
            }
            #expect(start.duration(to: server.clock.now) >= .seconds(15 * 60))
        }
    }

    @Test(arguments: [
        (NetworkState.metered, "waits for a better network, or power"), (.offline, "waits for the network"),
    ])
    func `of low priority is synced only where traffic is free`(network: NetworkState, reason: String) async throws {
        try await filled(.low) { _, content in
            server.network.set(network)
            for await status in content.statuses() where status.network == network { break }
            server.clock.advance(by: .seconds(3600))
            for await status in content.statuses()
            where status.filters.first?.activity.description == reason { break }
        }
    }

    private func reportReasons(_ words: ContentCache) {
        // block begins
        words.content?.trigger(.launch)  // the app has come to the foreground
        words.content?.trigger(.opened("translations/10"))  // the user reads this resource
        words.content?.trigger(.push("translations:*"))  // the server has sent a push
        // block ends
    }

    @Test func `is synced when the app reports a reason`() async throws {
        try await filled { words, _ in
            try change("river dusk")
            reportReasons(words)
            try await waitForChange("river dusk", in: words)
        }
    }

    @Test(arguments: [SyncTrigger.launch, .opened("translations/10"), .push("translations:*")])
    func `is synced for each of the reasons`(trigger: SyncTrigger) async throws {
        try await filled { words, _ in
            // An opened resource is synced again once its last sync is a minute old.
            server.clock.advance(by: .seconds(61))
            try change("river dusk")
            words.content?.trigger(trigger)
            try await waitForChange("river dusk", in: words)
        }
    }

    private func refresh(_ words: ContentCache, _ show: (String) -> Void) async throws {
        // block begins
        do {
            _ = try await words.content?.sync("translations:*")  // returns when the run has ended
            show("up to date")
        } catch SyncError.offline {
            show("There is no network.")
        }
        // block ends
    }

    @Test func `is new when a manual sync returns, which does not wait for a network`() async throws {
        try await filled { words, content in
            var lines: [String] = []
            try change("river dusk")
            try await refresh(words) { lines.append($0) }
            #expect(try words.row(Verse.self, 1000, in: "translations/10")?.text == "river dusk")
            server.network.set(.offline)
            for await status in content.statuses() where status.network == .offline { break }
            try await refresh(words) { lines.append($0) }
            #expect(lines == ["up to date", "There is no network."])
            #expect(try words.rows(Verse.self, in: "translations/10").count == 10)
        }
    }

    private func showAges(_ words: ContentCache, _ show: (String, Date) -> Void) {
        // block begins
        for filter in words.content?.status.filters ?? [] {
            print(filter)  // translations:*: ready offline, 1 of 1 resources; as of 2
            guard let syncedAt = filter.readiness?.syncedAt else { continue }  // never synced
            show(filter.filter, Date(timeIntervalSince1970: Double(syncedAt) / 1000))
        }
        // block ends
    }

    @Test func `has the time of its last sync`() async throws {
        try await filled { words, _ in
            let syncedAt = server.clock.wallMilliseconds
            server.clock.advance(by: .seconds(60))
            var shown: [String: Date] = [:]
            showAges(words) { shown[$0] = $1 }
            #expect(shown == ["translations:*": Date(timeIntervalSince1970: Double(syncedAt) / 1000)])
        }
    }
}

@Suite(.timeLimit(.minutes(2))) struct `Fresh responses` {
    private let server: ArticleServer
    private let address = "https://api.example.org/headlines"

    init() throws { server = try ArticleServer() }

    private func readHeadlines(_ words: ContentCache, _ show: (String) -> Void) async throws {
        // block begins
        let page = try await words.text("https://api.example.org/headlines", .staleIfOffline)
        print(page.value)
        show(page.explanation)  // from the cache, 3 h old: the server cannot be reached
        if case .expiredServedOffline = page.state { show("This page may be out of date.") }
        // block ends
    }

    @Test func `say where they come from, how old they are, and why`() async throws {
        server.transport.on(.get, "/headlines").answer(
            200, "all quiet", [.cacheControl: "max-age=60", .contentType: "text/plain"])
        let words = try await server.open()
        var lines: [String] = []
        try await readHeadlines(words) { lines.append($0) }
        server.clock.advance(by: .seconds(10))
        try await readHeadlines(words) { lines.append($0) }
        server.clock.advance(by: .seconds(3 * 3600))
        server.transport.plan(.fail(.noConnection(reason: "no network"))) { _ in true }
        try await readHeadlines(words) { lines.append($0) }
        #expect(
            lines == [
                "from the server: Nothing is stored.", "from the cache, 10 s old: What is stored is fresh.",
                "from the cache, 3 h old: the server cannot be reached", "This page may be out of date.",
            ])
        #expect(server.transport.lines.count == 2)
        try await server.close(words)
    }

    private func showBoth(_ words: ContentCache, _ show: (String, Bool) -> Void) async throws {
        // block begins
        guard let request = FetchRequest("https://api.example.org/headlines") else { return }
        for try await page in words.http.values(
            of: request, .cacheThenNetwork, decoding: { String(decoding: $0, as: UTF8.self) })
        {
            show(page.value, page.isIntermediate)  // the stored page, then the server's
        }
        // block ends
    }

    @Test func `come from the cache and then from the server where the strategy says so`() async throws {
        server.transport.on(.get, "/headlines").answer(
            200, "all quiet", [.cacheControl: "max-age=60", .contentType: "text/plain"]
        ).then(200, "rain", [.cacheControl: "max-age=60", .contentType: "text/plain"])
        let words = try await server.open()
        _ = try await words.text(address)
        var shown: [String] = []
        try await showBoth(words) { shown.append($1 ? "stored: \($0)" : $0) }
        #expect(shown == ["stored: all quiet", "rain"])
        try await server.close(words)
    }

    @Test func `are used whatever their age by the strategies that say so`() async throws {
        server.transport.on(.get, "/headlines").answer(
            200, "all quiet", [.cacheControl: "max-age=60", .contentType: "text/plain"]
        ).then(503)
        let words = try await server.open()
        _ = try await words.text(address)
        server.clock.advance(by: .seconds(7200))
        #expect(try await words.text(address, .cacheElseNetwork).value == "all quiet")
        #expect(try await words.text(address, .cacheOnly).value == "all quiet")
        await #expect(throws: HTTPCacheError.self) { try await words.text(address, .networkElseCache) }
        await #expect(throws: HTTPCacheError.self) { try await words.text(address, .staleIfOffline) }
        server.transport.plan(.fail(.noConnection(reason: "no network")), times: 9) { _ in true }
        #expect(try await words.text(address, .networkElseCache).value == "all quiet")
        await #expect(throws: HTTPCacheError.self) { try await words.text(address, .networkOnly) }
        await #expect(throws: HTTPCacheError.self) { try await words.text(address, .reload) }
        try await server.close(words)
    }
}
