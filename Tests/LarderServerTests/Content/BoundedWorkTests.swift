// Proves that no request has a server examine all of its changes, or sort all rows of a resource, each time.

import Testing

@testable import LarderServer

@Suite struct `The work of one request` {
    private let origin = Origin(secret: TokenSecret(1, 2), now: { 1_700_000_000_000 })
    private let busy = Origin.ResourceID("things", 1)

    /// All pages of a run.
    private func pages(_ first: OriginQuery) throws -> [OriginPage] {
        var pages = [try origin.page(first)]
        while let cursor = pages.last?.cursor {
            pages.append(try origin.page(OriginQuery(parsing: "cursor=\(cursor)")))
            try #require(pages.count < 100)
        }
        return pages
    }

    @Test func `examines a part of the changes, and the run goes on after it`() throws {
        try origin.createResource(busy)
        try origin.createResource(.init("notes", 1))
        let token = try #require(
            try pages(OriginQuery(parsing: "resources=notes:*&bootstrap=true")).last?.token)
        for _ in 0..<(2 * Origin.scannedChanges + 5) { try origin.touchResource(busy) }
        try origin.touchResource(.init("notes", 1))
        for _ in 0..<10 { try origin.touchResource(busy) }
        let found = try pages(OriginQuery(parsing: "resources=notes:*&sync_token=\(token)"))
        #expect(found.map(\.changes.count) == [0, 0, 1])
        #expect(found.allSatisfy { $0.bound == origin.sequence })
        #expect(found.map { $0.token == nil } == [true, true, false])
    }

    @Test func `examines a part of the resources in a first sync`() throws {
        for id in 1...(Int64(Origin.scannedChanges) + 1) { try origin.createResource(.init("things", id)) }
        try origin.createResource(.init("notes", 1))
        try origin.createResource(.init("notes", 2))
        try origin.hideResource(.init("notes", 1))
        let found = try pages(OriginQuery(parsing: "resources=notes:*&bootstrap=true"))
        #expect(found.map { $0.changes.map(\.resource) } == [[], [.init("notes", 2)]])
        try origin.publishResource(.init("notes", 1))
        let again = try pages(OriginQuery(parsing: "resources=notes:*&bootstrap=true"))
        #expect(again.flatMap { $0.changes.map(\.resource.id) } == [2, 1])
    }

    @Test func `sorts the rows of a list once for all requests, until their keys change`() {
        func entry(_ key: String, _ body: String = "{}") -> RowTable.Entry {
            RowTable.Entry(key: Origin.RowKey("thing", key), body: Array(body.utf8))
        }
        var table = RowTable()
        for key in ["b", "10", "9"] { table.put(entry(key)) }
        func indexes(_ table: RowTable) -> [Int] { table.order.places(of: table.entries).map(\.index) }
        #expect(indexes(table) == [2, 1, 0])
        // Nothing is looked at again.
        #expect(table.order.places(of: []).map(\.index) == [2, 1, 0])
        let copy = table
        table.put(entry("9", "{\"n\":1}"))
        #expect(table.order === copy.order)
        table.put(entry("a"))
        #expect(indexes(table) == [2, 1, 3, 0])
        #expect(indexes(copy) == [2, 1, 0])
        _ = table.delete(Origin.RowKey("thing", "10"))
        #expect(indexes(table) == [2, 3, 0])
    }
}
