// Proves that a pass that ends early keeps its pages and deletes nothing else.

import LarderFormat
import LarderStore
import LarderSync
import LarderTransport
import Testing

@Suite struct `A pass over a list that ends early` {
    private struct Fault: Error {}

    /// Fails from the second request on.
    private static func failing(_ keys: ClosedRange<Int>) -> ListServer {
        ListServer.responding(keys: keys) { _, number in
            if number > 1 { throw TransportError.connectionRefused }
            return nil
        }
    }

    @Test func `keeps the pages so far and leaves the rest unchanged`() async throws {
        let fixture = try ListFixture()
        try await fixture.put([2, 5, 6, 20])
        guard case .source(TransportError.connectionRefused) = try await fixture.failure(Self.failing(1...9)) else {
            Issue.record("another error")
            return
        }
        #expect(try fixture.keys() == [1, 2, 3, 4, 5, 6, 20])
        let server = ListServer(keys: 1...9)
        try await fixture.reconcile(server)
        #expect(try fixture.isEqual(to: server))
    }

    @Test func `shows a first pass as ready, and as never complete`() async throws {
        let fixture = try ListFixture()
        _ = try await fixture.failure(Self.failing(1...9))
        #expect(try fixture.known()?.state == .ready)
        #expect(try fixture.known()?.syncedAt == nil)
        try await fixture.reconcile(ListServer(keys: 1...9))
        #expect(try fixture.known()?.syncedAt != nil)
    }

    @Test func `leaves the mark of the pass before`() async throws {
        let fixture = try ListFixture()
        try await fixture.reconcile(ListServer(keys: 1...9))
        let mark = try fixture.known()?.syncedAt
        _ = try await fixture.failure(Self.failing(0...8))
        #expect(try fixture.known()?.syncedAt == mark)
    }

    @Test func `removes the mark from a list whose rows were dropped`() async throws {
        let fixture = try ListFixture()
        try await fixture.reconcile(ListServer(keys: 1...9))
        let resource = fixture.resource
        try await fixture.store.write { transaction in try transaction.withdraw(resource, as: .evicted) }
        _ = try await fixture.failure(Self.failing(1...9))
        #expect(try fixture.known()?.state == .ready)
        #expect(try fixture.known()?.syncedAt == nil)
    }

    @Test func `is cancelled between two pages, or while it waits for one`() async throws {
        let fixture = try ListFixture()
        let (requests, requestSignal) = AsyncStream<Void>.makeStream()
        let source = EndlessWait(
            first: ListPage(items: (1...4).map { ListServer.item($0, "a") }), requestSignal: requestSignal)
        let reconciler = fixture.reconciler()
        let resource = fixture.resource
        let task = Task { try await reconciler.reconcile(resource, type: "user", from: source) }
        for await _ in requests { break }
        task.cancel()
        guard case .failure(ListError.cancelled) = await task.result else {
            Issue.record("another end")
            return
        }
        #expect(try fixture.keys() == [1, 2, 3, 4])
        #expect(try fixture.known()?.syncedAt == nil)
    }

    @Test func `lets no second pass over the same list begin beside it`() async throws {
        let fixture = try ListFixture()
        let (requests, requestSignal) = AsyncStream<Void>.makeStream()
        let source = EndlessWait(
            first: ListPage(items: (1...4).map { ListServer.item($0, "a") }), requestSignal: requestSignal)
        let reconciler = fixture.reconciler()
        let resource = fixture.resource
        let task = Task { try await reconciler.reconcile(resource, type: "user", from: source) }
        for await _ in requests { break }
        await #expect(throws: ListError.self) {
            try await reconciler.reconcile(resource, type: "user", from: ListServer(keys: []))
        }
        try await reconciler.reconcile(ResourceKey("users", 2), type: "user", from: ListServer(keys: 1...3))
        task.cancel()
        _ = await task.result
        try await reconciler.reconcile(resource, type: "user", from: ListServer(keys: 1...3))
        #expect(try fixture.keys() == [1, 2, 3])
    }

    @Test func `notices that the rows were removed meanwhile`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...9)
        let (store, resource) = (fixture.store, fixture.resource)
        // Something else replaces the rows after they were compared: as late as a test can get between the two.
        let rows = try ListRows(store: store, resource: resource, type: "user")
        let page = ListPage(items: [ListServer.item(1, "new")])
        let found = try rows.compare(page)
        try await store.write { transaction in try transaction.withdraw(resource, as: .hidden) }
        await #expect(throws: ListError.self) { try await rows.apply(page, found) }
        #expect(try fixture.keys() == [])
        #expect(try fixture.known()?.state == .hidden)
    }

    /// The pages that came after the removal became a part of the list that was marked complete.
    @Test func `ends when all content was removed meanwhile`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...9)
        let rows = try ListRows(store: fixture.store, resource: fixture.resource, type: "user")
        try await fixture.store.clear()
        let page = ListPage(items: [ListServer.item(10, "new")])
        let found = try rows.compare(page)
        await #expect(throws: ListError.self) { try await rows.apply(page, found) }
        await #expect(throws: ListError.self) { try await rows.markComplete() }
        #expect(try fixture.known() == nil)
    }
}

/// A source that answers once and then waits until it is cancelled.
private struct EndlessWait: PageSource {
    let first: ListPage
    let requestSignal: AsyncStream<Void>.Continuation
    let paging = Paging.offset

    func page(_ request: PageRequest) async throws -> ListPage {
        if request == .offset(index: 0, size: 4) { return first }
        requestSignal.yield()
        try await Task.sleep(for: .seconds(3600))
        return ListPage(items: [])
    }
}
