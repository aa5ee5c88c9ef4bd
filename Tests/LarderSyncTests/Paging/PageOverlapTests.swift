// Proves that pages overlap, so that no item falls between two of them, and what that costs.

import LarderSync
import Testing

@Suite struct `Pages that overlap` {
    @Test func `keep a live row that a deletion moved to the page before`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...11)
        let server = ListServer(keys: 1...11, meddle: { state, phase in if phase == .before(2) { state.delete(2) } })
        let report = try await fixture.reconcile(server)
        #expect(fixture.changes.map(\.deleted) == [["2"]])
        #expect(fixture.recordedEvents.contains(.moved(fixture.resource, .gap)))
        #expect(report.walks == 3)
        #expect(try fixture.isEqual(to: server))
    }

    @Test func `keep it also when something else came in its place before the next look`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...11)
        let server = ListServer(keys: 1...11) { state, phase in
            if phase == .before(2) { state.delete(2) }
            if phase == .during(2) { state.put(0, "row 0") }
        }
        _ = try await fixture.reconcile(server)
        #expect(!fixture.changes.contains { $0.deleted.contains("5") })
        #expect(try fixture.isEqual(to: server))
    }

    @Test func `keep the rows at the end when an empty page came of deletions in front`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...8)
        let server = ListServer(keys: 1...8) { state, phase in
            if phase == .before(2) { for key in 1...4 { state.delete(key) } }
        }
        try await fixture.reconcile(server)
        #expect(!fixture.changes.contains { $0.deleted.contains("5") || $0.deleted.contains("8") })
        #expect(try fixture.isEqual(to: server))
    }

    @Test func `show the end with the last item and nothing behind it`() async throws {
        let fixture = try ListFixture()
        let server = ListServer(keys: 1...7)
        try await fixture.reconcile(server, ListConfiguration(pageSize: 10))
        // Short: the place behind it, and then the last item once more.
        #expect(
            server.requests == [.offset(index: 0, size: 10), .offset(index: 1, size: 7), .offset(index: 1, size: 6)])
        let byKey = ListServer(.keyset, keys: 1...7)
        try await fixture.reconcile(byKey, ListConfiguration(pageSize: 10))
        #expect(
            byKey.requests == [
                .keyset(after: nil, size: 10), .keyset(after: "7", size: 10), .keyset(after: "6", size: 10),
            ])
    }

    /// Requests for a pass over 1,000 items by 100 without changes, and for one that deletes.
    @Test(arguments: [(Paging.offset, 13, 26), (.keyset, 13, 26)])
    func `cost some requests more`(_ paging: Paging, _ quiet: Int, _ deleting: Int) async throws {
        let fixture = try ListFixture()
        let configuration = ListConfiguration(pageSize: 100)
        try await fixture.reconcile(ListServer(paging, keys: 1...1000), configuration)
        let first = try await fixture.reconcile(ListServer(paging, keys: 1...1000), configuration).requests
        #expect(first == quiet)
        try await fixture.put(1001...1005)
        let second = try await fixture.reconcile(ListServer(paging, keys: 1...1000), configuration).requests
        #expect(second == deleting)
        #expect(try fixture.keys() == Array(1...1000))
    }

    @Test(arguments: [Paging.offset, .keyset])
    func `are not needed where the server says how many items there are`(_ paging: Paging) async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...9)
        let server = ListServer(paging, keys: 1...7, total: true)
        let report = try await fixture.reconcile(server, ListConfiguration(pageSize: 10))
        #expect(report.requests == 1)
        #expect(try fixture.isEqual(to: server))
    }

    @Test func `are not requested from a server with a fixed page size`() async throws {
        for isSaid in [false, true] {
            let fixture = try ListFixture()
            try await fixture.put(1...30)
            let server = ListServer.responding(keys: 1...23) { request, _ in
                guard case .offset(let index, _) = request else { return nil }
                return ListPage(
                    items: (1...23).dropFirst(index * 10).prefix(10).map { ListServer.item($0, "row \($0)") })
            }
            try await fixture.reconcile(server, ListConfiguration(pageSize: 10, hasFixedPages: isSaid))
            #expect(try fixture.isEqual(to: server))
        }
    }

    @Test func `are replaced by a second walk where the server has pages of one size`() async throws {
        let fixture = try ListFixture()
        // Item 2 is deleted after the first answer, which moves item 11 to the first page, before it was seen.
        let server = ListServer.responding(keys: (1...23).filter { $0 != 2 }) { request, number in
            guard case .offset(let index, _) = request else { return nil }
            let keys = (1...23).filter { $0 != 2 || number == 1 }
            return ListPage(items: keys.dropFirst(index * 10).prefix(10).map { ListServer.item($0, "row \($0)") })
        }
        try await fixture.reconcile(server, ListConfiguration(pageSize: 10, hasFixedPages: true))
        #expect(try fixture.isEqual(to: server))
    }

    @Test func `have any size that fits`() {
        for size in 2...12 {
            for place in 1...400 {
                guard let selection = PageSelection.overlapping(place, size: size) else {
                    #expect((2...size).allSatisfy { place.isMultiple(of: $0) })
                    continue
                }
                guard case .offset(let index, let span) = selection.request else {
                    Issue.record("\(selection.request)")
                    return
                }
                #expect(span <= size && selection.repeated > 0)
                #expect(index * span + selection.repeated == place && (index + 1) * span > place)
            }
        }
    }
}
