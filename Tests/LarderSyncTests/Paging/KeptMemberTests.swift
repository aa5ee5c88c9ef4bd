// Proves that members which only the device has survive passes, and follow the server's item otherwise.

import Larder
import LarderSync
import Testing

/// Members of list rows that only the device has.
@Suite struct `Local members of list rows` {
    private let fixture: ListFixture
    private let configuration = ListConfiguration(pageSize: 4, localMembers: ["starred", "note"])

    init() throws { fixture = try ListFixture() }

    /// Reconciles the list with a server that answers these items in one page.
    private func reconcile(_ items: [String: String]) async throws {
        let page = items.sorted { $0.key < $1.key }.map { ListItem(key: $0.key, payload: Array($0.value.utf8)) }
        try await fixture.reconcile(
            ListServer.responding(keys: []) { _, _ in ListPage(items: page, hasMore: false) }, configuration)
    }

    /// Has the app write a row as its own.
    private func write(_ payload: String, at key: String = "1") async throws {
        let row = RowKey(resource: fixture.resource, type: "user", key: key)
        try await fixture.store.write { try $0.put(Array(payload.utf8), at: row, updatedAt: 0) }
    }

    @Test func `are kept where the server's item lacks them`() async throws {
        try await reconcile(["1": #"{"id":1,"name":"Ann"}"#])
        try await write(#"{"id":1,"name":"Ann","starred":true,"note":"x","other":1}"#)
        try await reconcile(["1": #"{"id":1,"name":"Anna"}"#])
        #expect(try fixture.payloads() == [1: #"{"id":1,"name":"Anna","note":"x","starred":true}"#])
        #expect(fixture.changes.last?.updated.map(\.members) == [["name", "other"]])
    }

    @Test func `are replaced by what the server sends, including null`() async throws {
        try await write(#"{"id":1,"starred":true,"note":"x"}"#)
        try await reconcile(["1": #"{"id":1,"starred":false,"note":null}"#])
        #expect(try fixture.payloads() == [1: #"{"id":1,"starred":false,"note":null}"#])
    }

    @Test func `are removed with the server's item, and do not return with it`() async throws {
        try await write(#"{"id":1,"starred":true}"#)
        try await reconcile(["1": #"{"id":1}"#, "2": #"{"id":2}"#, "3": #"{"id":3}"#])
        #expect(try fixture.payloads()[1] == #"{"id":1,"starred":true}"#)
        try await reconcile(["2": #"{"id":2}"#, "3": #"{"id":3}"#])
        #expect(try fixture.keys() == [2, 3])
        try await reconcile(["1": #"{"id":1}"#, "2": #"{"id":2}"#, "3": #"{"id":3}"#])
        #expect(try fixture.payloads()[1] == #"{"id":1}"#)
    }

    @Test func `cause no write where nothing changed`() async throws {
        try await write(#"{"id":1,"starred":true}"#)
        try await reconcile(["1": #"{"id":1,"name":"Ann"}"#])
        let count = fixture.changes.count
        try await reconcile(["1": #"{"id":1,"name":"Ann"}"#])
        #expect(fixture.changes.count == count)
    }

    @Test func `are those at the time the page is written, not when it was compared`() async throws {
        try await write(#"{"id":1,"starred":false}"#)
        let rows = try ListRows(
            store: fixture.store, resource: fixture.resource, type: "user", localMembers: configuration.localMembers)
        let page = ListPage(items: [ListItem(key: "1", payload: Array(#"{"id":1,"name":"Ann"}"#.utf8))])
        let found = try rows.compare(page)
        try await write(#"{"id":1,"starred":true}"#)
        try await rows.apply(page, found)
        #expect(try fixture.payloads() == [1: #"{"id":1,"name":"Ann","starred":true}"#])
    }

    @Test(arguments: ["[1]", "no JSON", "1"])
    func `do not exist in rows and items that are no objects`(text: String) async throws {
        try await write(text)
        try await reconcile(["1": #"{"id":1}"#])
        #expect(try fixture.payloads() == [1: #"{"id":1}"#])
        try await write(#"{"id":1,"starred":true}"#)
        try await reconcile(["1": text])
        #expect(try fixture.payloads() == [1: text])
    }
}
