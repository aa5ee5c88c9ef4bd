// StoreState: what a reader sees in one read view.

internal import LarderFormat
internal import LarderStore

/// What a reader sees at one point in time.
struct StoreState {
    typealias Rows = [ModelServer.RowID: String]

    var resources: [ResourceKey: Resource] = [:]
    var rows: [ResourceKey: Rows] = [:]
    var filters: [String: FilterState] = [:]

    init() {}

    /// Reads a store. Rows of resources that have not changed, by their records, are taken from `old`.
    init(_ store: Store, rowsFrom old: StoreState?) throws {
        var found = StoreState()
        try store.read { view in
            for resource in try view.allResources() {
                found.resources[resource.key] = resource
                guard resource.state == .ready else { continue }
                if let old, old.resources[resource.key] == resource, let rows = old.rows[resource.key] {
                    found.rows[resource.key] = rows
                } else {
                    found.rows[resource.key] = try Self.rows(of: resource.key, view)
                }
            }
            for filter in try view.filters() { found.filters[filter.filter] = filter }
        }
        self = found
    }

    private static func rows(of resource: ResourceKey, _ view: borrowing ReadView) throws -> Rows {
        var rows: Rows = [:]
        try view.forEachServerRow(in: .all(of: resource)) { entry in
            let (type, key) = try entry.key()
            rows[ModelServer.RowID(type, key)] = String(decoding: [UInt8](copying: entry.row.payload), as: UTF8.self)
        }
        return rows
    }

    /// Whether any filter holds a resource.
    func isMember(_ resource: ResourceKey) -> Bool { filters.values.contains { $0.members.contains(resource) } }
}

extension ModelServer.ResourceID {
    init(_ key: ResourceKey) { self.init(key.group, key.id) }
}
