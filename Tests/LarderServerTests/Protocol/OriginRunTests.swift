// Proves that a sync run pages through changes, ends in a token and refuses tokens it cannot serve.

import LarderServer
import Testing

@Suite struct `A sync run` {
    private func fill(_ origin: any EditableOrigin, _ resources: Int) async throws {
        for id in 1...resources {
            try await origin.createResource(.init("translations", Int64(id)), rows: [.translation(id)])
        }
    }

    @Test(arguments: OriginBackend.allCases)
    func `without changes still ends in a token`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        let token = try await origin.bootstrapToken("translations:*")
        let page = try await origin.answer("resources=translations:*&sync_token=\(token)")
        #expect(page.changes.isEmpty && page.cursor == nil)
        #expect(page.token != nil)
    }

    @Test(arguments: OriginBackend.allCases)
    func `gives a token on its last page only`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await fill(origin, 5)
        let first = try await origin.answer("resources=translations:*&bootstrap=true&per_page=3")
        #expect(first.token == nil)
        let second = try await origin.answer("cursor=\(try #require(first.cursor))")
        #expect(second.cursor == nil)
        #expect(second.token != nil)
        #expect(first.summary + second.summary == (1...5).map { "RESOURCE_CREATE \($0)" })
    }

    @Test(arguments: OriginBackend.allCases)
    func `has no empty page at its end when the changes just fit`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await fill(origin, 6)
        let first = try await origin.answer("resources=translations:*&bootstrap=true&per_page=3")
        let second = try await origin.answer("cursor=\(try #require(first.cursor))")
        #expect(second.changes.count == 3)
        #expect(second.token != nil)
    }

    @Test(arguments: OriginBackend.allCases)
    func `ends a page with the row that makes it too large for clients`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await origin.createResource(.translation19, rows: [])
        let token = try await origin.bootstrapToken("translations:*")
        let text = String(repeating: "x", count: 3 << 20)
        for id in 1...7 { try await origin.putRow(.translation(id, text), in: .translation19) }
        var page = try await origin.answer("resources=translations:*&sync_token=\(token)")
        var found = [page.summary]
        while let cursor = page.cursor {
            page = try await origin.answer("cursor=\(cursor)")
            found.append(page.summary)
        }
        #expect(found == [2...4, 5...7, 8...8].map { numbers in numbers.map { "ROW_CREATE \($0)" } })
        #expect(page.token != nil)
    }

    @Test(arguments: OriginBackend.allCases)
    func `has 50 changes a page by default`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await fill(origin, 60)
        #expect(try await origin.answer("resources=translations:*&bootstrap=true").changes.count == 50)
    }

    @Test(arguments: OriginBackend.allCases)
    func `leaves changes made meanwhile to the next run`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await fill(origin, 2)
        let token = try await origin.bootstrapToken("translations:*")
        for id in 10...13 { try await origin.putRow(.translation(id), in: .init("translations", 1)) }
        let first = try await origin.answer("resources=translations:*&sync_token=\(token)&per_page=2")
        try await origin.putRow(.translation(14), in: .init("translations", 1))
        let second = try await origin.answer("cursor=\(try #require(first.cursor))")
        #expect(first.bound == 6 && second.bound == 6)
        #expect(first.summary + second.summary == (3...6).map { "ROW_CREATE \($0)" })
        let next = try await origin.answer("resources=translations:*&sync_token=\(try #require(second.token))")
        #expect(next.summary == ["ROW_CREATE 7"])
    }

    @Test(arguments: OriginBackend.allCases)
    func `lists in a first sync only what was public at its start and still is`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await fill(origin, 5)
        let first = try await origin.answer("resources=translations:*&bootstrap=true&per_page=2")
        try await origin.hideResource(.init("translations", 4), reason: nil)
        try await origin.hideResource(.init("translations", 5), reason: nil)
        try await origin.publishResource(.init("translations", 5))
        try await origin.createResource(.init("translations", 6), rows: [])
        let second = try await origin.answer("cursor=\(try #require(first.cursor))")
        #expect(second.summary == ["RESOURCE_CREATE 3"])
        let next = try await origin.answer("resources=translations:*&sync_token=\(try #require(second.token))")
        #expect(
            next.summary == ["RESOURCE_DELETE 6", "RESOURCE_DELETE 7", "RESOURCE_CREATE 8", "RESOURCE_CREATE 9"])
    }

    @Test(arguments: OriginBackend.allCases)
    func `holds only what its filter names`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await fill(origin, 3)
        try await origin.createResource(.init("tafsirs", 1), rows: [])
        let page = try await origin.answer("resources=tafsirs:*;translations:2&bootstrap=true")
        #expect(page.changes.map(\.resource) == [.init("translations", 2), .init("tafsirs", 1)])
    }

    @Test(arguments: OriginBackend.allCases)
    func `accepts a token for its own filter, however spelled, and no other`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await fill(origin, 6)
        let token = try await origin.bootstrapToken("translations:6,1,6")
        #expect(try await origin.answer("resources=translations:1,6&sync_token=\(token)").token != nil)
        for other in ["translations:1", "translations:*", "translations:1,6;tafsirs:*"] {
            await #expect(throws: OriginProblem.tokenFilterMismatch) {
                try await origin.answer("resources=\(other)&sync_token=\(token)")
            }
        }
    }

    @Test(arguments: OriginBackend.allCases)
    func `accepts a cursor for its own filter and page size and no other`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await fill(origin, 6)
        let page = try await origin.answer("resources=translations:*&bootstrap=true&per_page=2")
        let cursor = try #require(page.cursor)
        #expect(try await origin.answer("cursor=\(cursor)&resources=translations:1,*&per_page=2").changes.count == 2)
        await #expect(throws: OriginProblem.cursorFilterMismatch) {
            try await origin.answer("cursor=\(cursor)&resources=tafsirs:*")
        }
        await #expect(throws: OriginProblem.cursorPageSizeMismatch) {
            try await origin.answer("cursor=\(cursor)&per_page=3")
        }
    }

    @Test(arguments: OriginBackend.allCases)
    func `accepts no token for a cursor and no cursor for a token`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await fill(origin, 6)
        let token = try await origin.bootstrapToken("translations:*")
        let cursor = try #require(try await origin.answer("resources=translations:*&bootstrap=true&per_page=2").cursor)
        await #expect(throws: OriginProblem.resyncRequired) {
            try await origin.answer("resources=translations:*&sync_token=\(cursor)")
        }
        await #expect(throws: OriginProblem.self) { try await origin.answer("cursor=\(token)") }
    }

    @Test(arguments: OriginBackend.allCases)
    func `has to begin again when what it needs is forgotten`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await fill(origin, 2)
        let old = try await origin.bootstrapToken("translations:*")
        for id in 10...13 { try await origin.putRow(.translation(id), in: .init("translations", 1)) }
        let changes = try #require(
            try await origin.answer("resources=translations:*&sync_token=\(old)&per_page=1").cursor)
        let bootstrap = try #require(
            try await origin.answer("resources=translations:*&bootstrap=true&per_page=1").cursor)
        try await origin.removeChanges(before: 3)
        #expect(try await origin.answer("resources=translations:*&sync_token=\(old)").changes.count == 4)
        try await origin.removeChanges(before: 6)
        await #expect(throws: OriginProblem.resyncRequired) {
            try await origin.answer("resources=translations:*&sync_token=\(old)")
        }
        await #expect(throws: OriginProblem.resyncRequired) { try await origin.answer("cursor=\(changes)") }
        #expect(try await origin.answer("cursor=\(bootstrap)").token != nil)
        try await origin.putRow(.translation(14), in: .init("translations", 1))
        try await origin.removeChanges(before: .max)
        await #expect(throws: OriginProblem.resyncRequired) { try await origin.answer("cursor=\(bootstrap)") }
        #expect(
            try await origin.answer(
                "resources=translations:*&sync_token=\(try await origin.bootstrapToken("translations:*"))"
            ).token
                != nil)
    }

    @Test(arguments: OriginBackend.allCases)
    func `has to begin again when all tokens were made invalid`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await fill(origin, 3)
        let token = try await origin.bootstrapToken("translations:*")
        let cursor = try #require(try await origin.answer("resources=translations:*&bootstrap=true&per_page=1").cursor)
        try await origin.invalidateTokens()
        await #expect(throws: OriginProblem.resyncRequired) {
            try await origin.answer("resources=translations:*&sync_token=\(token)")
        }
        await #expect(throws: OriginProblem.resyncRequired) { try await origin.answer("cursor=\(cursor)") }
        let fresh = try await origin.bootstrapToken("translations:*")
        #expect(try await origin.answer("resources=translations:*&sync_token=\(fresh)").token != nil)
    }

    @Test(arguments: OriginBackend.allCases)
    func `has to begin again at a server that has fewer changes than the token`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await fill(origin, 3)
        let token = try await origin.bootstrapToken("translations:*")
        let restored = try await backend.open()
        await #expect(throws: OriginProblem.resyncRequired) {
            try await restored.answer("resources=translations:*&sync_token=\(token)")
        }
    }

    @Test(arguments: OriginBackend.allCases)
    func `is refused for a group that the server does not have`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        await #expect(throws: OriginProblem.unknownResourceGroup) {
            try await origin.answer("resources=nonsense:*&bootstrap=true")
        }
    }
}
