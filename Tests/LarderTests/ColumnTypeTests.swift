// Proves that a condition compares a value as the property of its column: a text with numbers as the number it spells.

import Foundation
import Larder
import LarderTesting
import Logging
import Synchronization
import Testing

private enum Course: String, Codable, CaseIterable { case main, dessert }
private enum Season: String, Codable { case spring, autumn }

private struct Recipe: LocalRow {
    static let schema = RowSchema(
        "recipe", in: .resource("recipes/1"), columns: "minutes", "code", "isQuick", "stars", "course", "note",
        index: "rank", "label", search: "title")
    let id: String, title: String, minutes: Int, rank: Double, code: String, label: String, isQuick: Bool, stars: Int?
    let course: Course, note: String?
}

@Suite(.timeLimit(.minutes(2))) struct `A condition` {
    private func recipes(_ body: (ContentCache) throws -> Void) async throws {
        let cache = try await World().open(rows: [Recipe.self])
        for (index, minutes) in [5, 30, 100].enumerated() {
            let recipe = Recipe(
                id: "\(index)", title: "soup", minutes: minutes, rank: Double(minutes) + 0.5, code: "\(minutes)",
                label: "\(minutes)", isQuick: minutes < 30, stars: index == 0 ? nil : minutes, course: .dessert,
                note: "0\(minutes)")
            try await cache.put(recipe, to: "/recipes/\(index)")
        }
        try body(cache)
        try await cache.close()
    }

    private func found(_ condition: SQLCondition, _ cache: ContentCache) throws -> [Int] {
        try cache.rows(Recipe.self, where: condition, order: "minutes").map(\.minutes)
    }

    /// `minutes < "30"` returned every row, since SQLite sorts each number before each text.
    @Test func `compares a text with numbers as the number that it spells`() async throws {
        try await recipes { cache throws in
            #expect(try found("minutes < \("30")", cache) == [5])
            #expect(try found("minutes >= \("30")", cache) == [30, 100])
            #expect(try found("minutes = \("30")", cache) == [30])
            #expect(try found("minutes IN \(["5", "100"])", cache) == [5, 100])
            #expect(try found("minutes BETWEEN \("6") AND \("99")", cache) == [30])
            #expect(try found("rank > \("5.5") AND rank < \("100.5")", cache) == [30])
            #expect(try found("rank = \("100.50")", cache) == [100])
            #expect(try found("stars <= \("30")", cache) == [30])
            #expect(try found("isQuick = \("1")", cache) == [5])
            #expect(try found("isQuick = \(true)", cache) == [5])
        }
    }

    @Test func `compares a number with texts as its text`() async throws {
        try await recipes { cache throws in
            #expect(try found("code = \(30)", cache) == [30])
            #expect(try found("label = \(30)", cache) == [30])
            #expect(try found("label < \(30)", cache) == [100])
            #expect(try found("label > \(30)", cache) == [5])
            #expect(try found("label > \(2.5)", cache) == [5, 30])
            #expect(try found("code < \("30")", cache) == [100])
            #expect(try found("course = \("dessert")", cache) == [5, 30, 100])
        }
    }

    @Test func `compares dates in milliseconds as numbers`() async throws {
        struct Stamp: LocalRow {
            static let schema = RowSchema("stamp", in: .resource("stamps/1"), columns: "at", dates: .milliseconds)
            let id: String, at: Date
        }
        let cache = try await open(Stamp.self, Messages())
        try await cache.put(Stamp(id: "1", at: Date(timeIntervalSince1970: 9)), to: "/stamps/1")
        #expect(try cache.rows(Stamp.self, where: "at < \("10000")").count == 1)
        try await cache.close()
    }

    /// A column of texts is none of numbers: `"030"` is not 30.
    @Test func `keeps texts apart that spell one number`() async throws {
        try await recipes { cache throws in
            #expect(try found("note = \("30")", cache).isEmpty)
            #expect(try found("note = \("030")", cache) == [30])
        }
    }

    /// The payload has more members than the property list.
    @Test func `compares a member that is no property as its named type`() async throws {
        struct Title: LocalRow {
            static let schema = RowSchema(
                "recipe", in: .resource("recipes/1"), columns: .text("note"), .text("code"), index: .number("minutes"))
            let id: String, title: String
        }
        let messages = Messages()
        let cache = try await open(Title.self, messages)
        #expect(messages.texts.isEmpty)
        let payload = Array(#"{"id":"1","title":"soup","minutes":30,"note":"030","code":"30"}"#.utf8)
        try await cache.store.write { transaction in
            try transaction.put(
                payload, at: RowKey(resource: "recipes/1", type: "recipe", key: "1"), updatedAt: 1, codec: .json)
        }
        #expect(try cache.rows(Title.self, where: "minutes < \("4")").isEmpty)
        #expect(try cache.rows(Title.self, where: "minutes < \("40")").map(\.title) == ["soup"])
        #expect(try cache.rows(Title.self, where: "note = \("30") OR code = \(31)").isEmpty)
        try await cache.close()
    }

    /// A misspelled column found nothing, without a word.
    @Test func `has the log name a column that is no property`() async throws {
        struct Misspelled: LocalRow {
            static let schema = RowSchema("recipe", in: .resource("recipes/1"), index: "minuets", search: "title")
            let id: String, title: String, minutes: Int
        }
        let messages = Messages()
        try await open(Misspelled.self, messages).close()
        #expect(messages.texts.count == 1)
        let problem = "Misspelled reads no member minuets; it reads id, minutes, title."
        #expect(messages.texts.first?.contains(problem) == true)
    }

    @Test func `has the log name the property whose values it cannot make`() async throws {
        struct Seasonal: LocalRow {
            static let schema = RowSchema("recipe", in: .resource("recipes/1"), columns: "season", "minutes")
            let id: String, season: Season, minutes: Int
        }
        let messages = Messages()
        try await open(Seasonal.self, messages).close()
        #expect(messages.texts.count == 1)
        #expect(messages.texts.first?.contains("after season are not known") == true)
    }

    /// A type that contains itself, or decodes what it likes, ends the search for its properties, not the program.
    @Test func `is possible over every type that decodes`() async throws {
        final class Tree: LocalRow {
            static let schema = RowSchema("tree", in: .resource("trees/1"), columns: "height")
            let id: String, parent: Tree?, children: [Tree], height: Int
            init(id: String) { (self.id, parent, children, height) = (id, nil, [], 30) }
        }
        struct Text: LocalRow {
            static let schema = RowSchema("text", in: .resource("texts/1"), columns: "first")
            let id: String
            init(from decoder: any Decoder) throws { id = try decoder.singleValueContainer().decode(String.self) }
            func encode(to encoder: any Encoder) throws { try id.encode(to: encoder) }
        }
        let messages = Messages()
        let cache = try await open(Tree.self, messages)
        try await cache.put(Tree(id: "1"), to: "/trees/1")
        #expect(try cache.rows(Tree.self, where: "height = \("30")").count == 1)
        #expect(messages.texts.isEmpty)
        try await cache.close()
        try await open(Text.self, messages).close()
        #expect(messages.texts.first?.contains("Text does not decode from members") == true)
    }

    private func open(_ row: any CachedRow.Type, _ messages: Messages) async throws -> ContentCache {
        var services = CacheServices.scripted(ScriptedTransport(clock: VirtualClock()), clock: VirtualClock())
        services.host.logger = Logger(label: "test") { _ in messages }
        var options = CacheOptions()
        options.hasAccounts = false
        return try await ContentCache.open(
            .temporary(), writes: "http://words.test", rows: [row], services: services, options: options)
    }
}

/// The warnings of a cache.
private final class Messages: LogHandler {
    private let logged = Mutex<[String]>([])
    var texts: [String] { logged.withLock { $0 } }
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .warning }
        set {}
    }
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) { logged.withLock { $0.append("\(event.message)") } }
}
