// Origin: shorthands for tests to fill, change and compare an origin.

import LarderFormat
import LarderServer
import LarderStore
import LarderSync

extension Origin {
    /// An origin whose clock stands still.
    static func ofTests(changeLimit: Int = 1_000_000) -> Origin {
        Origin(secret: TokenSecret(1, 2), changeLimit: changeLimit, now: { 1_700_000_000_000 })
    }

    /// Creates a resource of `count` translations.
    @discardableResult
    func addTranslations(_ id: Int64, count: Int) throws -> Int64 {
        try createResource(ResourceID("translations", id), rows: Self.translations(count))
    }

    /// The rows 1 to `count`, whose text begins with `word`.
    static func translations(_ count: Int, _ word: String = "row") -> [Row] {
        (1...max(count, 1)).prefix(count).map { number in
            Row(type: "translation", key: String(number), translation(number, "\(word) \(number)"))
        }
    }

    static func translation(_ number: Int, _ text: String) -> String { "{\"id\":\(number),\"text\":\"\(text)\"}" }

    /// Puts one translation.
    @discardableResult
    func put(_ number: Int, _ text: String, in id: Int64 = 19) throws -> Int64? {
        try putRow(
            Row(type: "translation", key: String(number), Self.translation(number, text)),
            in: ResourceID("translations", id))
    }

    @discardableResult
    func delete(_ number: Int, in id: Int64 = 19) throws -> Int64? {
        try deleteRow(RowKey("translation", String(number)), in: ResourceID("translations", id))
    }

    @discardableResult
    func hide(_ id: Int64) throws -> Int64 { try hideResource(ResourceID("translations", id)) }

    @discardableResult
    func publish(_ id: Int64) throws -> Int64 { try publishResource(ResourceID("translations", id)) }

    @discardableResult
    func replace(_ id: Int64, with rows: [Row]) throws -> Int64? {
        try replaceRows(of: ResourceID("translations", id), with: rows)
    }
}

extension SyncFixture {
    /// How the store differs from the origin in what `filters` cover: rows, visibility, membership.
    func differences(_ filters: [String]) throws -> [String] {
        var found: [String] = []
        let published = Set(origin.publicResources.map { ResourceKey($0.group, $0.id) })
        for text in filters {
            let filter = try ResourceFilter(text)
            let wanted = published.filter { filter.matches(group: $0.group, id: $0.id) }
            let members = try self.members(filter.description)
            if members != wanted { found.append("\(text) holds \(members.sorted()), not \(wanted.sorted())") }
            for resource in wanted where try rows(resource) != originRows(resource) {
                found.append("\(text): the rows of \(resource) differ")
            }
            let known = try store.read { view in try view.resources() }
            for resource in known where filter.matches(group: resource.key.group, id: resource.key.id) {
                if !published.contains(resource.key), resource.state == .ready {
                    found.append("\(resource.key) is still shown")
                }
            }
        }
        return found
    }

    /// All rows of a resource at the origin, by type and key.
    func originRows(_ resource: ResourceKey) -> [String: String] {
        let rows = origin.rows(of: Origin.ResourceID(resource.group, resource.id)) ?? []
        let pairs = rows.map { ("\($0.key.type) \($0.key.key)", String(decoding: $0.body, as: UTF8.self)) }
        return Dictionary(uniqueKeysWithValues: pairs)
    }
}
