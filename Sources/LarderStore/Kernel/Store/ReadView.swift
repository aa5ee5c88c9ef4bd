package import LarderEngine
public import LarderFormat
internal import Synchronization

/// A snapshot of the store, lent to a synchronous closure: one moment, whole, whatever is written meanwhile.
///
/// What is read from it points into the map and cannot leave the closure; copy what has to.
public struct ReadView: ~Copyable {
    let transaction: LarderEngine.ReadTransaction
    let tables: Tables
    let shared: SharedState
    /// Where the rows of the resource read last lie: within one snapshot that does not change.
    private let lastSource = Mutex<MergedSource?>(nil)
}

extension ReadView: ReadContext {
    /// Takes over a snapshot of `source`'s environment.
    package init(transaction: consuming LarderEngine.ReadTransaction, source: Store) {
        self.transaction = transaction
        tables = source.tables
        shared = source.shared
    }
}

extension ReadView {
    /// The number of the commit this view shows; grows by one with every commit.
    public var commit: UInt64 { transaction.commit }

    /// What is known of a resource, or nil.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``StoreError/invalid(_:)``.
    public borrowing func resource(_ key: ResourceKey) throws -> Resource? {
        try tables.resource(key, in: transaction).map { Resource(key, $0) }
    }

    /// Every resource known, in the order of group and number, or those of one group.
    public borrowing func resources(inGroup group: String? = nil) throws -> [Resource] {
        var found: [Resource] = []
        try tables.forEach(.resources, prefix: group.map(ResourceRecord.prefix) ?? [], in: transaction) { key, body in
            let resource = try decoding(.resources) { () throws(FormatError) in
                Resource(try ResourceRecord.decodeKey(key), try ResourceRecord(decoding: body))
            }
            found.append(resource)
            return true
        }
        return found
    }

    /// The row at `key` as local writes have it, or else as the server does; nil when there is none.
    ///
    /// The server's rows of a resource that is not ready are not shown, local writes always are. Verifies the checksum, which covers key and owner.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``StoreError/invalid(_:)`` for a key beyond the format's limits.
    /// - Complexity: O(log *n*) page visits; nothing is allocated.
    @_lifetime(borrow self)
    public borrowing func row(at key: RowKey) throws -> Row? {
        try tables.mergedRow(at: key, from: try mergedSource(of: key.resource), in: transaction)
    }

    borrowing func mergedSource(of resource: ResourceKey) throws -> MergedSource {
        if let last = lastSource.withLock({ $0 }), last.rows.owner == resource { return last }
        let found = try tables.mergedSource(of: resource, in: transaction)
        lastSource.withLock { $0 = found }
        if found.hasRows { shared.generationUses.note(found.rows.generation) }
        return found
    }

    /// A copy of the payload at `key`, or nil.
    public borrowing func payload(at key: RowKey) throws -> [UInt8]? {
        guard let row = try row(at: key) else { return nil }
        return [UInt8](copying: row.payload)
    }

    /// Calls `body` with the rows of `range`, local writes in place of the server's rows, in key order.
    ///
    /// - Parameters:
    ///   - reversed: from the end to the start.
    ///   - limit: the most rows to read.
    ///   - verified: whether to verify every row's checksum; without, damage goes unnoticed.
    /// - Returns: how many rows were read.
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``StoreError/invalid(_:)``; what `body` throws, which ends the
    ///   scan.
    @discardableResult
    public borrowing func forEachRow(
        in range: RowRange, reversed: Bool = false, limit: Int = .max, verified: Bool = true,
        _ body: (borrowing RowEntry) throws -> Void
    ) throws -> Int {
        try tables.mergedScan(
            range, from: try mergedSource(of: range.resource), in: transaction, reversed: reversed, limit: limit,
            verified: verified, body)
    }

    /// Copies of the rows of `range` in key order.
    public borrowing func rows(in range: RowRange, reversed: Bool = false, limit: Int = .max) throws -> [StoredRow] {
        var rows: [StoredRow] = []
        try forEachRow(in: range, reversed: reversed, limit: limit) { entry in
            let (type, key) = try entry.key()
            rows.append(
                StoredRow(
                    key: RowKey(resource: range.resource, type: type, key: key), updatedAt: entry.row.updatedAt,
                    codec: entry.row.codec, payload: [UInt8](copying: entry.row.payload)))
        }
        return rows
    }
}
