// Proves by clicks in a real browser that every page shows what a large store holds, to the last part of each list.
#if Server
import Foundation
import LarderEngine
import LarderFormat
import LarderStore
import Testing

@testable import cachetool

@Suite(.serialized, .enabled(if: Browser.isInstalled, "chromium-driver is not installed: Tools/setup installs it"))
struct `The inspector on a large store` {
    @Test func `shows by clicks what the store holds`() async throws {
        let large = try await LargeStore()
        let server = InspectorServer { port in
            Inspector(store: large.store, path: large.path, token: "secret", port: port, allowsChanges: false)
        }
        let browser = try await Browser()
        let tour = InspectorTour(browser)
        do {
            try await server.serve(port: 0) { address in
                try await browser.open(address)
                try await tour.arrive()
                try await visitOverview(tour, large.store)
                try await visitResources(tour, large.store)
                try await visitRow(tour, large.store)
                try await visitQuery(tour)
                try await visitChanges(tour)
                try await visitSync(tour, large.store)
                try await visitOutbox(tour, large.store)
                try await visitResponses(tour, large.store)
                try await visitCollections(tour, large.store)
                try await visitActivity(tour, large.store)
                try await visitSpace(tour, large.store)
                try await visitProblems(tour, large)
                // Again, because the first page of a browser is slow.
                try await tour.go(to: .overview)
            }
        } catch {
            await browser.close()
            throw error
        }
        await browser.close()
        #expect(Set(tour.times.keys) == Set(InspectorPage.allCases.map { $0 == .overview ? "overview" : $0.rawValue }))
        print("Pages of a store of a million rows:\n\(tour.report)")
    }

    private func visitOverview(_ tour: InspectorTour, _ store: Store) async throws {
        let statistics = try store.statistics()
        let resources = statistics.resources
        #expect(try await tour.fact("Resources") == "\(resources.ready) ready of \(resources.total)")
        #expect(statistics.rows == 1_000_000)
        #expect(try await tour.fact("Rows") == groupedText(statistics.rows))
        #expect(try await tour.fact("Filters") == "\(statistics.filters)")
        #expect(try await tour.fact("Writes not accepted") == "\(statistics.outboxEntries)")
        #expect(try await tour.fact("HTTP responses") == "\(LargeStore.responses)")
        #expect(try await tour.fact("File") == sizeText(statistics.fileSize))
        try await tour.click(groupedText(statistics.rows))
    }

    private func visitResources(_ tour: InspectorTour, _ store: Store) async throws {
        let stored = try store.read { view in try view.allResources() }
        #expect(try await tour.browser.text("main p") == "\(stored.count) resources.")
        #expect(try await tour.wholeColumn(0) == stored.map { "\($0.key.group)/\($0.key.id)" })
        try await tour.goToFirst()
        #expect(try await tour.wholeColumn(2) == stored.map { "\($0.rowCount)" })
        let last = try #require(stored.last).key
        try await tour.click("\(last.group)/\(last.id)")
        #expect(try await tour.fact("Rows") == "\(LargeStore.rowsPerResource)")
        #expect(try await tour.wholeColumn(0, of: "[aria-label=Rows]") == rows(of: last, store))
    }

    private func rows(of resource: ResourceKey, _ store: Store) throws -> [String] {
        try store.read { view in
            var keys: [String] = []
            try view.forEachRow(in: .all(of: resource)) { entry in
                let (type, key) = try entry.key()
                keys.append("\(type) \(key)")
            }
            return keys
        }
    }

    private func visitRow(_ tour: InspectorTour, _ store: Store) async throws {
        let last = LargeStore.rowsPerResource
        try await tour.click("verse \(LargeStore.key(last))")
        let shown = try await tour.browser.text("main pre")
        let stored = try #require(PrettyJSON.lines(bytes(LargeStore.payload(last))))
        #expect(shown.split(separator: "\n").map(String.init) == stored)
        #expect(try await tour.browser.text("main").contains("pending:*;verses:*"))
    }

    private func visitQuery(_ tour: InspectorTour) async throws {
        try await tour.go(to: .resources)
        let first = "\(LargeStore.group)/1"
        while try await !tour.column(0).contains(first) { try await tour.click("Next", in: ".paging") }
        try await tour.click(first)
        try await tour.click("Query with SQL")
        try await tour.browser.run(
            "document.querySelector('#statement').value = 'SELECT count(*), sum(verse) FROM rows WHERE verse > 10'")
        try await tour.browser.run("document.querySelector('main button').setAttribute('data-next', '')")
        try await tour.browser.click(try await tour.browser.find("main button"))
        try await tour.arrive()
        let values = 11...LargeStore.rowsPerResource
        #expect(try await tour.column(0, of: "[aria-label=Result]") == ["\(values.count)"])
        #expect(try await tour.column(1, of: "[aria-label=Result]") == ["\(values.reduce(0, +))"])
    }

    private func visitChanges(_ tour: InspectorTour) async throws {
        try await tour.go(to: .changes)
        // A day may have begun since the store was filled.
        try await tour.click("2 days")
        let resources = try await tour.wholeColumn(0)
        #expect(resources.count == LargeStore.resources)
        #expect(Set(resources) == Set((1...LargeStore.resources).map { "\(LargeStore.group)/\($0)" }))
        try await tour.goToFirst()
        let count = "\(LargeStore.rowsPerResource)"
        #expect(try await tour.column(2).allSatisfy { $0 == "\(count) of \(count)" || $0 == "count" })
        try await tour.click("\(count) of \(count)")
        let rows = try await tour.wholeColumn(0)
        #expect(rows == (1...LargeStore.rowsPerResource).map { "verse \(LargeStore.key($0))" })
    }

    private func visitSync(_ tour: InspectorTour, _ store: Store) async throws {
        try await tour.go(to: .sync)
        let stored = try #require(try store.read { view in try view.readiness() }.first)
        #expect(try await tour.column(0) == [stored.filter])
        let complete = stored.members.count { $0.isComplete }
        #expect(try await tour.column(2) == ["\(complete) of \(stored.members.count)"])
        try await tour.click(stored.filter)
        let members = try await tour.wholeColumn(0, of: "[aria-label=\"Resources of the filter\"]")
        #expect(members == stored.members.map { "\($0.key.group)/\($0.key.id)" })
        #expect(try await tour.browser.text("main").contains("1 run changed 1000000 rows"))
    }

    private func visitOutbox(_ tour: InspectorTour, _ store: Store) async throws {
        try await tour.go(to: .outbox)
        let stored = try store.read { view in try view.outboxEntries() }
        #expect(try await tour.browser.text("main p").hasPrefix("\(stored.count) writes in the outbox."))
        #expect(try await tour.wholeColumn(0) == stored.map { String($0.id.description.prefix(8)) })
        let last = try #require(stored.last)
        try await tour.click(String(last.id.description.prefix(8)))
        #expect(try await tour.fact("Identity and idempotency key") == last.id.description)
        #expect(try await tour.fact("Request") == "PUT \(last.endpoint)")
    }

    private func visitResponses(_ tour: InspectorTour, _ store: Store) async throws {
        try await tour.go(to: .responses)
        let stored = try store.read { view in try view.responses(after: nil, limit: .max) }
        #expect(try await tour.wholeColumn(0) == stored.map { "GET \($0.record.key)" })
        let last = try #require(stored.last).record
        try await tour.click("GET \(last.key)")
        #expect(try await tour.browser.text("main p.path") == "GET \(last.url)")
        #expect(try await tour.browser.text("main").contains("\"response\": "))
    }

    private func visitCollections(_ tour: InspectorTour, _ store: Store) async throws {
        try await tour.go(to: .collections)
        let stored = try store.read { view in try view.collections() }
        #expect(try await tour.wholeColumn(0) == stored.map(\.name.query))
    }

    private func visitActivity(_ tour: InspectorTour, _ store: Store) async throws {
        try await tour.go(to: .activity)
        try await tour.click("write")
        let outcomes = try store.read { view in try view.outboxOutcomes() }
        #expect(try await tour.wholeColumn(2).count { $0.contains("was accepted") } == outcomes.count)
    }

    private func visitSpace(_ tour: InspectorTour, _ store: Store) async throws {
        try await tour.go(to: .space)
        let statistics = try store.statistics()
        let table = "[aria-label^=Tables]"
        let counts = Dictionary(
            uniqueKeysWithValues: zip(try await tour.column(0, of: table), try await tour.column(2, of: table)))
        #expect(counts == statistics.tables.mapValues { "\($0.entries)" })
        #expect(try await tour.fact("Pages").hasPrefix("\(statistics.usedPages) used of \(statistics.lastPage + 1),"))
    }

    private func visitProblems(_ tour: InspectorTour, _ large: LargeStore) async throws {
        try await tour.go(to: .problems)
        let found = DoctorCheck.diagnoses(DoctorFacts(of: large.store, at: large.path, now: Filters.now()))
        let shown = try await tour.browser.run("return document.querySelectorAll('section.problem').length") as? Int
        #expect(shown == found.count)
    }
}
#endif
