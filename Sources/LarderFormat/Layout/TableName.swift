/// The tables in use; a raw value is the exact name of the LMDB database.
///
/// FORMAT.md, "Tables".
package enum TableName: String, CaseIterable, Sendable {
    /// The format record, the counters and other single records.
    case meta
    /// The state of each resource.
    case resources
    /// The content, by generation.
    case rows
    /// The owner of each generation.
    case generations
    /// Each filter, with its token.
    case filters
    /// The resources of each filter.
    case members
    /// Entries to be sent, with their deduplication keys.
    case outbox
    /// Past events, limited in number.
    case journal
    /// The local effects of writes that are not confirmed yet, applied over the rows.
    case overlay
    /// HTTP responses, without their bodies.
    case responses
    /// Large bodies, in chunks.
    case blobs
    /// The stored answers of queries: lists of row keys.
    case collections
    /// Secondary indexes over rows.
    case indexes
    /// Rings of points that are uploaded many at a time.
    case buffers
    /// Ranges of other tables that are being written or wait to be removed.
    case garbage

    /// The tables with data that no server has. Every undamaged store has these tables.
    package static let localOnly: [TableName] = [.outbox, .overlay, .buffers]

    /// Names reserved for tables of later versions.
    package static let reserved = [
        "changes"
    ]

    /// The first step of every checksum in this table: XXH64 of the name, with seed 0.
    package var seed: UInt64 { Self.seeds[self.index] }

    private static let seeds: [UInt64] = allCases.map { table in
        Array(table.rawValue.utf8).rawSpan.xxh64(seed: 0)
    }

    private var index: Int {
        switch self {
        case .meta: 0
        case .resources: 1
        case .rows: 2
        case .generations: 3
        case .filters: 4
        case .members: 5
        case .outbox: 6
        case .journal: 7
        case .overlay: 8
        case .responses: 9
        case .blobs: 10
        case .collections: 11
        case .indexes: 12
        case .buffers: 13
        case .garbage: 14
        }
    }
}
