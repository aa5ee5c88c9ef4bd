// Proves that a sync run pages through changes, ends in a token and refuses tokens it cannot serve.

import LarderServer
import Testing

@Suite struct `A sync run` {
    private let origin = Origin.sample()

    private func fill(_ resources: Int) throws {
        for id in 1...resources {
            try origin.createResource(.init("translations", Int64(id)), rows: [.translation(id)])
        }
    }

    @Test func `without changes still ends in a token`() throws {
        let token = try origin.bootstrapToken("translations:*")
        let page = try origin.page("resources=translations:*&sync_token=\(token)")
        #expect(page.changes.isEmpty && page.cursor == nil)
        #expect(page.token != nil)
    }

    @Test func `gives a token on its last page only`() throws {
        try fill(5)
        let first = try origin.page("resources=translations:*&bootstrap=true&per_page=3")
        #expect(first.token == nil)
        let second = try origin.page("cursor=\(try #require(first.cursor))")
        #expect(second.cursor == nil)
        #expect(second.token != nil)
        #expect(first.summary + second.summary == (1...5).map { "RESOURCE_CREATE \($0)" })
    }

    @Test func `has no empty page at its end when the changes just fit`() throws {
        try fill(6)
        let first = try origin.page("resources=translations:*&bootstrap=true&per_page=3")
        let second = try origin.page("cursor=\(try #require(first.cursor))")
        #expect(second.changes.count == 3)
        #expect(second.token != nil)
    }

    @Test func `has 50 changes a page by default`() throws {
        try fill(60)
        #expect(try origin.page("resources=translations:*&bootstrap=true").changes.count == 50)
    }

    @Test func `leaves changes made meanwhile to the next run`() throws {
        try fill(2)
        let token = try origin.bootstrapToken("translations:*")
        for id in 10...13 { try origin.putRow(.translation(id), in: .init("translations", 1)) }
        let first = try origin.page("resources=translations:*&sync_token=\(token)&per_page=2")
        try origin.putRow(.translation(14), in: .init("translations", 1))
        let second = try origin.page("cursor=\(try #require(first.cursor))")
        #expect(first.bound == 6 && second.bound == 6)
        #expect(first.summary + second.summary == (3...6).map { "ROW_CREATE \($0)" })
        let next = try origin.page("resources=translations:*&sync_token=\(try #require(second.token))")
        #expect(next.summary == ["ROW_CREATE 7"])
    }

    @Test func `lists in a first sync only what was public at its start and still is`() throws {
        try fill(5)
        let first = try origin.page("resources=translations:*&bootstrap=true&per_page=2")
        try origin.hideResource(.init("translations", 4))
        try origin.hideResource(.init("translations", 5))
        try origin.publishResource(.init("translations", 5))
        try origin.createResource(.init("translations", 6))
        let second = try origin.page("cursor=\(try #require(first.cursor))")
        #expect(second.summary == ["RESOURCE_CREATE 3"])
        let next = try origin.page("resources=translations:*&sync_token=\(try #require(second.token))")
        #expect(
            next.summary == ["RESOURCE_DELETE 6", "RESOURCE_DELETE 7", "RESOURCE_CREATE 8", "RESOURCE_CREATE 9"])
    }

    @Test func `holds only what its filter names`() throws {
        try fill(3)
        try origin.createResource(.init("tafsirs", 1))
        let page = try origin.page("resources=tafsirs:*;translations:2&bootstrap=true")
        #expect(page.changes.map(\.resource) == [.init("translations", 2), .init("tafsirs", 1)])
    }

    @Test func `accepts a token for its own filter, however spelled, and no other`() throws {
        try fill(6)
        let token = try origin.bootstrapToken("translations:6,1,6")
        #expect(try origin.page("resources=translations:1,6&sync_token=\(token)").token != nil)
        for other in ["translations:1", "translations:*", "translations:1,6;tafsirs:*"] {
            #expect(throws: OriginProblem.tokenFilterMismatch) {
                try origin.page("resources=\(other)&sync_token=\(token)")
            }
        }
    }

    @Test func `accepts a cursor for its own filter and page size and no other`() throws {
        try fill(6)
        let page = try origin.page("resources=translations:*&bootstrap=true&per_page=2")
        let cursor = try #require(page.cursor)
        #expect(try origin.page("cursor=\(cursor)&resources=translations:1,*&per_page=2").changes.count == 2)
        #expect(throws: OriginProblem.cursorFilterMismatch) { try origin.page("cursor=\(cursor)&resources=tafsirs:*") }
        #expect(throws: OriginProblem.cursorPageSizeMismatch) { try origin.page("cursor=\(cursor)&per_page=3") }
    }

    @Test func `accepts no token for a cursor and no cursor for a token`() throws {
        try fill(6)
        let token = try origin.bootstrapToken("translations:*")
        let cursor = try #require(try origin.page("resources=translations:*&bootstrap=true&per_page=2").cursor)
        #expect(throws: OriginProblem.resyncRequired) {
            try origin.page("resources=translations:*&sync_token=\(cursor)")
        }
        #expect(throws: OriginProblem.self) { try origin.page("cursor=\(token)") }
    }

    @Test func `has to begin again when what it needs is forgotten`() throws {
        try fill(2)
        let old = try origin.bootstrapToken("translations:*")
        for id in 10...13 { try origin.putRow(.translation(id), in: .init("translations", 1)) }
        let changes = try #require(try origin.page("resources=translations:*&sync_token=\(old)&per_page=1").cursor)
        let bootstrap = try #require(try origin.page("resources=translations:*&bootstrap=true&per_page=1").cursor)
        origin.removeChanges(before: 3)
        #expect(try origin.page("resources=translations:*&sync_token=\(old)").changes.count == 4)
        origin.removeChanges(before: 6)
        #expect(throws: OriginProblem.resyncRequired) { try origin.page("resources=translations:*&sync_token=\(old)") }
        #expect(throws: OriginProblem.resyncRequired) { try origin.page("cursor=\(changes)") }
        #expect(try origin.page("cursor=\(bootstrap)").token != nil)
        try origin.putRow(.translation(14), in: .init("translations", 1))
        origin.removeChanges(before: .max)
        #expect(throws: OriginProblem.resyncRequired) { try origin.page("cursor=\(bootstrap)") }
        #expect(
            try origin.page("resources=translations:*&sync_token=\(try origin.bootstrapToken("translations:*"))").token
                != nil)
    }

    @Test func `has to begin again when all tokens were made invalid`() throws {
        try fill(3)
        let token = try origin.bootstrapToken("translations:*")
        let cursor = try #require(try origin.page("resources=translations:*&bootstrap=true&per_page=1").cursor)
        origin.invalidateTokens()
        #expect(throws: OriginProblem.resyncRequired) {
            try origin.page("resources=translations:*&sync_token=\(token)")
        }
        #expect(throws: OriginProblem.resyncRequired) { try origin.page("cursor=\(cursor)") }
        let fresh = try origin.bootstrapToken("translations:*")
        #expect(try origin.page("resources=translations:*&sync_token=\(fresh)").token != nil)
    }

    @Test func `has to begin again at a server that has fewer changes than the token`() throws {
        try fill(3)
        let token = try origin.bootstrapToken("translations:*")
        let restored = Origin.sample()
        #expect(throws: OriginProblem.resyncRequired) {
            try restored.page("resources=translations:*&sync_token=\(token)")
        }
    }

    @Test func `is refused for a group that the server does not have`() {
        #expect(throws: OriginProblem.unknownResourceGroup) { try origin.page("resources=nonsense:*&bootstrap=true") }
    }
}
