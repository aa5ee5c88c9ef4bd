// Proves what the article on Realm says: objects as rows, queries, and content that only the device has.

import Foundation
import Larder
import LarderFormat
import LarderServer
import LarderStore
import LarderTesting
import Testing

private struct MigratingFromRealmCode {
    // block begins
    struct Recipe: CachedRow {  // was `class Recipe: Object`
        static let schema = RowSchema("recipe", in: .group("recipes"), index: "minutes", search: "title")

        struct Step: Codable, Sendable {  // was `class Step: EmbeddedObject`
            let text: String
        }

        let id: Int  // was `@Persisted(primaryKey: true) var id`
        let title: String
        let minutes: Int
        let steps: [Step]  // was `List<Step>`
        let author_id: Int?  // was a link to an `Author`: read that row by its id
    }
    // block ends

    struct Bookmark: CachedRow, Equatable {
        static let schema = RowSchema("bookmark", in: .resource("bookmarks/1"))
        let id: String, recipe: Int
    }

    // block begins
    func quickRecipes(_ minutes: Int, in cache: ContentCache) throws -> [Recipe] {
        try cache.rows(Recipe.self, where: "minutes <= \(minutes)", order: "title", limit: 50)
    }
    // block ends

    // block begins
    func keepBookmarks(_ bookmarks: [Bookmark], in cache: ContentCache, at time: Date) async throws {
        let milliseconds = Int64(time.timeIntervalSince1970 * 1000)
        try await cache.store.write { transaction in
            for bookmark in bookmarks {
                let key = RowKey(resource: "bookmarks/1", type: "bookmark", key: bookmark.id)
                try transaction.put(bookmark, at: key, updatedAt: milliseconds)
            }
            try transaction.pin("bookmarks/1")  // never evicted, whatever the cap is
        }
    }
    // block ends
}

@Suite(.timeLimit(.minutes(2))) struct `The article on moving from Realm` {
    private typealias Recipe = MigratingFromRealmCode.Recipe
    private typealias Bookmark = MigratingFromRealmCode.Bookmark
    private let code = MigratingFromRealmCode()
    private let clock = VirtualClock()
    private let origin: Origin
    private let transport: ScriptedTransport

    init() {
        origin = Origin(secret: TokenSecret(1, 2), now: { [clock] in clock.wallMilliseconds })
        transport = ScriptedTransport(OriginTransport(origin), clock: clock)
    }

    private func publish() throws {
        let recipes = [(1, "Soup", 40), (2, "Salad", 10), (3, "Bread", 15)].map { id, title, minutes in
            Origin.Row(
                type: "recipe", key: "\(id)",
                #"{"id":\#(id),"title":"\#(title)","minutes":\#(minutes),"steps":[{"text":"stir"}]}"#)
        }
        _ = try origin.createResource(.init("recipes", 1), rows: recipes)
    }

    private func withContent(_ body: (ContentCache) async throws -> Void) async throws {
        try publish()
        let cache = try await ContentCache.open(
            .temporary(), content: "https://api.example.org/content", rows: [Recipe.self, Bookmark.self],
            services: .scripted(transport, clock: clock))
        let running = Task { try await cache.run() }
        for await progress in cache.keep("recipes:*") where progress.problem != nil {
            Issue.record("\(progress)")
        }
        try await body(cache)
        running.cancel()
        _ = await running.result
        try await cache.close()
    }

    @Test func `shows objects as rows, with embedded ones and optional links`() async throws {
        try await withContent { cache in
            let soup = try #require(try cache.row(Recipe.self, 1, in: "recipes/1"))
            #expect(soup.steps.map(\.text) == ["stir"] && soup.author_id == nil)
            #expect(try code.quickRecipes(15, in: cache).map(\.title) == ["Bread", "Salad"])
            #expect(try cache.search(Recipe.self, "sou").map(\.row.id) == [1])
        }
    }

    @Test func `shows content of the device that stays beside the server's, and is observed`() async throws {
        try await withContent { cache in
            let marks = [Bookmark(id: "a", recipe: 2), Bookmark(id: "b", recipe: 3)]
            var seen: [[Bookmark]] = []
            for try await found in cache.observe(Bookmark.self) {
                seen.append(found)
                if seen.count == 2 { break }
                try await code.keepBookmarks(marks, in: cache, at: Date(timeIntervalSince1970: 1_700_000_000))
            }
            #expect(seen == [[], marks])
            for await _ in cache.keep("recipes:*") {}
            #expect(try cache.rows(Bookmark.self) == marks)
            #expect(try cache.store.read { view in try view.resource("bookmarks/1")?.isPinned } == true)
        }
    }
}
