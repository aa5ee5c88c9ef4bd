// Proves that snapshots answered with a server's wait block neither pages nor other snapshots.
import HTTPTypes
import LarderServer
import LarderSync
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(20))) struct `Snapshots that are answered with a wait` {
    private let filter: ResourceFilter
    private let fixture: CoordinatorFixture
    private let sync: ContentSync

    init() throws {
        filter = ResourceFilter("translations:*")
        fixture = try CoordinatorFixture()
        sync = ContentSync(
            store: fixture.store, transport: fixture.script,
            configuration: SyncConfiguration(
                base: BaseURL("http://127.0.0.1/content"), perPage: 1, concurrentSnapshots: 1,
                laggingPause: .zero))
    }

    private func isOf(_ ids: ClosedRange<Int64>) -> @Sendable (HTTPRequest) -> Bool {
        { request in ids.contains { request.path?.hasSuffix("/snapshots/translations/\($0)") == true } }
    }

    private func respondWithWait(_ ids: ClosedRange<Int64>, times: Int = 1000) {
        fixture.script.plan(.status(.tooManyRequests), .header(.retryAfter, "3600"), times: times, where: isOf(ids))
    }

    /// Runs the filter, which ends with the server's wait; during that nothing is sent. Then the wait is over.
    private func runIntoWait() async throws {
        let result = await outcome { () async throws(SyncError) in try await sync.sync(filter) }
        guard case .rateLimited? = result.error else {
            Issue.record("\(result)")
            return
        }
        let sent = fixture.script.lines.count
        let held = await outcome { () async throws(SyncError) in try await sync.sync(filter) }
        guard case .serverWait? = held.error else {
            Issue.record("\(held)")
            return
        }
        #expect(fixture.script.lines.count == sent)
        fixture.clock.advance(by: .seconds(3600))
    }

    private func snapshotRequests(of ids: ClosedRange<Int64>) -> Int { ids.map(fixture.snapshotRequests).reduce(0, +) }

    @Test func `repeatedly delay the changes on later pages by one run only`() async throws {
        for id in Int64(1)...8 { try await fixture.origin.addTranslations(id, count: 2) }
        _ = try await sync.sync(filter)
        let before = snapshotRequests(of: 1...6)
        for id in Int64(1)...6 { try await fixture.origin.replace(id, with: Origin.translations(2, "new")) }
        try await fixture.origin.put(1, "new", in: 7)
        try await fixture.origin.replace(8, with: Origin.translations(2, "new"))
        respondWithWait(1...6)
        for run in 1...2 {
            try await runIntoWait()
            #expect(snapshotRequests(of: 1...6) == before + run)
        }
        #expect(try fixture.text(1, of: 7) == Origin.translation(1, "new"))
        // Each run asks for another one, and then for what is behind them.
        for _ in 3...7 { try await runIntoWait() }
        #expect(try fixture.text(1, of: 8) == Origin.translation(1, "new 1"))
        for id in Int64(1)...6 { #expect(fixture.snapshotRequests(of: id) <= 3) }
        fixture.script.clearPlans()
        _ = try await sync.sync(filter)
        #expect(try await fixture.differences() == [])
    }

    @Test func `repeatedly delay other snapshots of a bootstrap by one run each`() async throws {
        for id in Int64(1)...5 { try await fixture.origin.addTranslations(id, count: 2) }
        respondWithWait(1...2)
        for _ in 1...3 { try await runIntoWait() }
        for id in Int64(3)...5 { #expect(try fixture.text(1, of: id) == Origin.translation(1, "row 1"), "\(id)") }
        #expect(snapshotRequests(of: 1...2) == 3)
        fixture.script.clearPlans()
        _ = try await sync.sync(filter)
        #expect(try await fixture.differences() == [])
    }

    @Test func `contain the changes that were left to them, or are fetched again`() async throws {
        try await fixture.origin.addTranslations(1, count: 2)
        try await fixture.origin.addTranslations(2, count: 2)
        _ = try await sync.sync(filter)
        try await fixture.origin.replace(1, with: Origin.translations(2, "new"))
        respondWithWait(1...1, times: 2)
        try await runIntoWait()
        let request = try #require(fixture.script.recorded.last { isOf(1...1)($0.request) }?.request)
        let old = try await OriginTransport(fixture.origin).send(
            request, body: nil, timeouts: TransportTimeouts())
        let stale = try await old.body.collect(upTo: 10_000)
        try await fixture.origin.put(2, "later", in: 1)
        try await runIntoWait()
        // What is in no snapshot yet is not applied to the rows of the last one.
        #expect(try fixture.text(2, of: 1) == Origin.translation(2, "row 2"))
        fixture.script.plan(.body(stale), where: isOf(1...1))
        _ = try await sync.sync(filter)
        #expect(try fixture.text(2, of: 1) == Origin.translation(2, "later"))
        #expect(try await fixture.differences() == [])
    }

    @Test func `of resources that are deleted on a later page are not requested`() async throws {
        for id in Int64(1)...2 { try await fixture.origin.addTranslations(id, count: 2) }
        _ = try await sync.sync(filter)
        try await fixture.origin.replace(1, with: Origin.translations(2, "new"))
        respondWithWait(1...1)
        try await runIntoWait()
        let requestCount = fixture.snapshotRequests(of: 1)
        try await fixture.origin.hide(1)
        _ = try await sync.sync(filter)
        #expect(fixture.snapshotRequests(of: 1) == requestCount)
        #expect(try await fixture.differences() == [])
    }
}
