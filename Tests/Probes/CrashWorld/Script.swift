// Script: a short history of server and client steps that always ends in the same store, however often the client is killed.

public import LarderFormat
public import LarderServer

/// A short life of a client, step by step: what the server does, then what the client does.
///
/// Played to the end, a store holds the same, however often the client died on the way and repeated its step.
public struct Script {
    /// What a client does in one step.
    public struct Step: Sendable {
        /// Whether it syncs, at the beginning.
        public let syncs: Bool
        /// Entries it enqueues, by number.
        public let enqueues: [Int]
        /// Entries whose outcome it records.
        public let completes: [Int]
        /// Whether it removes the garbage, at the end.
        public let reclaims: Bool
    }

    /// The filter that is synced.
    public static let filter = "tafsirs:*;translations:*"
    /// What entries are made with.
    public static let seed: UInt64 = 11
    /// What the client does, in order.
    public static let steps = [
        Step(syncs: true, enqueues: [], completes: [], reclaims: false),
        Step(syncs: true, enqueues: [1], completes: [], reclaims: false),
        Step(syncs: false, enqueues: [2], completes: [], reclaims: false),
        Step(syncs: true, enqueues: [], completes: [], reclaims: true),
        Step(syncs: false, enqueues: [], completes: [1], reclaims: false),
        Step(syncs: true, enqueues: [], completes: [], reclaims: false),
        Step(syncs: true, enqueues: [3], completes: [2], reclaims: true),
    ]
    /// The resources there are.
    public static let resources = [
        ResourceKey("translations", 1), ResourceKey("translations", 2), ResourceKey("tafsirs", 1),
    ]

    /// The server.
    public let origin = Origin(secret: TokenSecret(3, 4), now: { 1_700_000_000_000 })

    /// A server that has done nothing yet.
    public init() {}

    /// Does what the server does before the client's step `number`.
    public func apply(_ number: Int) throws {
        let ids = Self.resources.map { Origin.ResourceID($0.group, $0.id) }
        switch number {
        case 0:
            _ = try origin.createResource(ids[0], rows: Self.rows(0, count: 46, version: 0))
            _ = try origin.createResource(ids[1], rows: Self.rows(1, count: 50, version: 0))
            _ = try origin.createResource(ids[2], rows: Self.rows(2, count: 30, version: 0))
        case 1:
            for key in 3...7 { _ = try origin.putRow(Self.row(1, key, version: 1), in: ids[1]) }
            _ = try origin.deleteRow(Origin.RowKey("translation", "9"), in: ids[1])
            _ = try origin.putRow(Self.row(2, 31, version: 1), in: ids[2])
        case 3: _ = try origin.replaceRows(of: ids[0], with: Self.rows(0, count: 44, version: 3))
        case 5:
            _ = try origin.hideResource(ids[1])
            _ = try origin.putRow(Self.row(2, 4, version: 5), in: ids[2])
            origin.invalidateTokens()
        case 6:
            _ = try origin.publishResource(ids[1])
            _ = try origin.replaceRows(of: ids[2], with: Self.rows(2, count: 33, version: 6))
        default: break
        }
    }

    private static func rows(_ resource: Int, count: Int, version: Int) -> [Origin.Row] {
        (1...count).map { row(resource, $0, version: version) }
    }

    private static func row(_ resource: Int, _ key: Int, version: Int) -> Origin.Row {
        // A few rows that together take several commits.
        let length = resource == 0 && key % 8 == 0 ? 110_000 : 40
        let text = String(repeating: "x", count: length)
        return Origin.Row(
            type: resource == 2 ? "tafsir" : "translation", key: String(key),
            "{\"id\":\(key),\"text\":\"\(version) \(text)\"}")
    }
}
