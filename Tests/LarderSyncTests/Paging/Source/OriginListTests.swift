// Proves that lists sync with a server's own paged interface, in process and over HTTP.

import HTTPTypes
import LarderFormat
import LarderServer
import LarderSync
import LarderTransport
import Testing

/// A server's own paged interface, in this process and over HTTP.
@Suite struct `A list of an origin` {
    private static let resource = ResourceKey("translations", 19)
    private static let layouts: [(JSONPageSource.Parameters, JSONPageLayout)] = [
        (.pages(), JSONPageLayout(items: ["items"])),
        (.pages(), JSONPageLayout(items: ["items"], continuation: .total(["total"]))),
        (.keys(), JSONPageLayout(items: ["items"], continuation: .flag(["has_more"]))),
        (.keys(), JSONPageLayout(items: ["items"])),
    ]

    @Test(arguments: Wiring.allCases, layouts.indices)
    func `is synced through inserts, edits and deletions`(_ wiring: Wiring, _ index: Int) async throws {
        let (parameters, layout) = Self.layouts[index]
        try await wiring.run { fixture in
            let origin = fixture.origin
            try await origin.addTranslations(19, count: 23)
            let transport: any Transport = wiring == .inProcess ? ListTransport(origin: origin) : fixture.script
            let source = JSONPageSource(
                transport: transport, base: fixture.base, path: "/api/lists/translations/19", parameters: parameters,
                layout: layout)
            let lists = ListReconciler(store: fixture.store, configuration: ListConfiguration(pageSize: 5))
            let first = try await lists.reconcile(Self.resource, type: "translation", from: source)
            #expect(first.created == 23)
            #expect(try await fixture.rows(Self.resource) == fixture.originRows(Self.resource))
            for key in [1, 6, 10, 11, 22, 23] { try await origin.delete(key) }
            try await origin.put(7, "another text")
            for key in [24, 100, 101] { try await origin.put(key, "new") }
            let second = try await lists.reconcile(Self.resource, type: "translation", from: source)
            #expect((second.created, second.updated, second.deleted) == (3, 1, 6))
            #expect(try await fixture.rows(Self.resource) == fixture.originRows(Self.resource))
            let third = try await lists.reconcile(Self.resource, type: "translation", from: source)
            #expect(third.writes == 0)
            #expect(third.rangeReads == third.requests + 1)
        }
    }

    @Test(arguments: Wiring.allCases)
    func `that is hidden leaves the rows and is a typed error`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            let origin = fixture.origin
            try await origin.addTranslations(19, count: 7)
            let transport: any Transport = wiring == .inProcess ? ListTransport(origin: origin) : fixture.script
            let source = JSONPageSource(
                transport: transport, base: fixture.base, path: "/api/lists/translations/19",
                layout: JSONPageLayout(items: ["items"]))
            let lists = ListReconciler(store: fixture.store)
            try await lists.reconcile(Self.resource, type: "translation", from: source)
            try await origin.hide(19)
            let error = await #expect(throws: ListError.self) {
                try await lists.reconcile(Self.resource, type: "translation", from: source)
            }
            guard case .source(SyncError.refused(let problem))? = error else {
                Issue.record("another error")
                return
            }
            #expect(problem.status == 404)
            #expect(try fixture.translation(19).count == 7)
        }
    }
}

/// Answers requests for lists from an origin in the same process.
private struct ListTransport: Transport {
    let origin: any EditableOrigin

    func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        let target = (request.path ?? "").stripping("/content/api/lists/translations/") ?? ""
        let parts = target.split(separator: "?", maxSplits: 1)
        guard parts.count == 2, let id = Int64(parts[0]) else { return TransportResponse(status: .notFound) }
        do throws(OriginProblem) {
            let query = try ListQuery(parsing: parts[1])
            let body = try await origin.list(of: Origin.ResourceID("translations", id), query)
            return TransportResponse(status: .ok, body: body)
        } catch {
            return TransportResponse(status: .init(code: error.status), body: error.body)
        }
    }
}
