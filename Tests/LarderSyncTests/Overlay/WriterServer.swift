// WriterServer: a server model that remembers its whole history, so that it can respond with any lag.

import LarderFormat
import LarderSync

/// A server that remembers everything it ever was, so that it can answer as a copy of itself that lags.
///
/// The members of a row are names: `n…` from others, `w…` from the client. Rows only ever gain members of the client.
struct WriterServer {
    typealias Rows = [RowKey: Set<String>]

    static let resources = [ResourceKey("translations", 1), ResourceKey("translations", 2)]
    static let keys = resources.flatMap { resource in
        (1...3).map { RowKey(resource: resource, type: "translation", key: String($0)) }
    }

    /// What it was after each change; the place is the sequence.
    private(set) var past: [Rows] = [[:]]
    private(set) var log: [Mutation] = []

    var sequence: Int64 { Int64(past.count - 1) }
    var rows: Rows { past[past.count - 1] }

    init() {
        for resource in Self.resources {
            var rows = self.rows
            for key in Self.keys where key.resource == resource { rows[key] = ["n0"] }
            past.append(rows)
            log.append(Self.mutation(sequence, .resourceCreate, resource))
        }
    }

    /// Changes one row, and logs it.
    mutating func change(_ key: RowKey, _ edit: (inout Set<String>) -> Void) {
        var rows = self.rows
        edit(&rows[key, default: []])
        past.append(rows)
        var mutation = Self.mutation(sequence, .rowUpdate, key.resource)
        mutation.recordType = key.type
        mutation.recordKey = key.key
        mutation.data = Self.payload(rows[key] ?? [])
        log.append(mutation)
    }

    /// Has everybody fetch a resource anew.
    mutating func invalidate(_ resource: ResourceKey) {
        past.append(rows)
        log.append(Self.mutation(sequence, .resourceInvalidate, resource))
    }

    /// The changes that a run receives: those since a token, or without one the creations of all resources.
    func changes(after token: Int64?) -> [Mutation] {
        guard let token else { return log.filter { $0.type == .resourceCreate } }
        return log.filter { $0.sequence > token }
    }

    /// The snapshot of a resource as it was.
    func snapshot(of resource: ResourceKey, at sequence: Int64) -> (header: SnapshotHeader, rows: Rows) {
        let rows = past[Int(sequence)].filter { $0.key.resource == resource }
        let header = SnapshotHeader(
            group: resource.group, id: resource.id, contentID: nil, schemaVersion: 1, sequence: sequence,
            recordCount: rows.count)
        return (header, rows)
    }

    static func payload(_ members: Set<String>) -> [UInt8] {
        Array(("{" + members.sorted().map { "\"\($0)\":1" }.joined(separator: ",") + "}").utf8)
    }

    private static func mutation(_ sequence: Int64, _ type: MutationType, _ resource: ResourceKey) -> Mutation {
        Mutation(
            sequence: sequence, type: type, resource: .init(group: resource.group, id: resource.id), changedAt: 1,
            snapshotURL: type.needsSnapshot ? "/api/v4/copies/\(resource.id)" : nil)
    }
}
