// Origin: shorthands for tests to fill, change and compare an origin.

import LarderFormat
import LarderServer
import LarderStore
import LarderSync

extension Origin {
    /// An origin whose clock stands still.
    static func ofTests(changeLimit: Int = 1_000_000) -> any EditableOrigin {
        Origin(secret: TokenSecret(1, 2), changeLimit: changeLimit, now: { 1_700_000_000_000 })
    }

    /// The rows 1 to `count`, whose text begins with `word`.
    static func translations(_ count: Int, _ word: String = "row") -> [Row] {
        (1...max(count, 1)).prefix(count).map { number in
            Row(type: "translation", key: String(number), translation(number, "\(word) \(number)"))
        }
    }

    static func translation(_ number: Int, _ text: String) -> String { "{\"id\":\(number),\"text\":\"\(text)\"}" }
}

extension EditableOrigin {
    /// Creates a resource without rows.
    @discardableResult
    func createResource(_ resource: Origin.ResourceID) async throws -> Int64 {
        try await createResource(resource, rows: [])
    }

    /// Creates a resource of `count` translations.
    @discardableResult
    func addTranslations(_ id: Int64, count: Int) async throws -> Int64 {
        try await createResource(Origin.ResourceID("translations", id), rows: Origin.translations(count))
    }

    /// Puts one translation.
    @discardableResult
    func put(_ number: Int, _ text: String, in id: Int64 = 19) async throws -> Int64? {
        try await putRow(
            Origin.Row(type: "translation", key: String(number), Origin.translation(number, text)),
            in: Origin.ResourceID("translations", id))
    }

    @discardableResult
    func delete(_ number: Int, in id: Int64 = 19) async throws -> Int64? {
        try await deleteRow(Origin.RowKey("translation", String(number)), in: Origin.ResourceID("translations", id))
    }

    @discardableResult
    func hide(_ id: Int64) async throws -> Int64 {
        try await hideResource(Origin.ResourceID("translations", id), reason: nil)
    }

    @discardableResult
    func publish(_ id: Int64) async throws -> Int64 { try await publishResource(Origin.ResourceID("translations", id)) }

    @discardableResult
    func replace(_ id: Int64, with rows: [Origin.Row]) async throws -> Int64? {
        try await replaceRows(of: Origin.ResourceID("translations", id), with: rows)
    }
}

extension SyncFixture {
    /// How the store differs from the origin in what `filters` cover: rows, visibility, membership.
    func differences(_ filters: [String]) async throws -> [String] {
        var found: [String] = []
        let published = Set(try await origin.publicResources.map { ResourceKey($0.group, $0.id) })
        for text in filters {
            let filter = try ResourceFilter(text)
            let wanted = published.filter { filter.matches(group: $0.group, id: $0.id) }
            let members = try self.members(filter.description)
            if members != wanted { found.append("\(text) holds \(members.sorted()), not \(wanted.sorted())") }
            for resource in wanted where try await rows(resource) != originRows(resource) {
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
    func originRows(_ resource: ResourceKey) async throws -> [String: String] {
        let rows = try await origin.rows(of: Origin.ResourceID(resource.group, resource.id)) ?? []
        let pairs = rows.map { ("\($0.key.type) \($0.key.key)", String(decoding: $0.body, as: UTF8.self)) }
        return Dictionary(uniqueKeysWithValues: pairs)
    }
}
