internal import LarderFormat

/// A change of one of the server's rows.
struct RowChange {
    let key: RowKey
    let isRemoval: Bool
    /// Whether local writes lie over rows of the resource: what is shown of the row is then for them to say.
    let isOverlaid: Bool
}

/// A part that follows changes of the server's rows in the transaction that makes them.
protocol RowStage: SharedPart {
    /// Follows the change of one row.
    func changed(_ row: RowChange, in transaction: inout Transaction) throws
    /// Follows the replacement or withdrawal of all rows of a resource.
    func replacedRows(of resource: ResourceKey, in transaction: inout Transaction) throws
    /// Adds what the layer knows of a resource to its record, which is made anew because it could not be read.
    func restore(_ record: inout ResourceRecord, of resource: ResourceKey, in transaction: inout Transaction) throws
}

extension RowStage {
    func changed(_ row: RowChange, in transaction: inout Transaction) throws {}
    func replacedRows(of resource: ResourceKey, in transaction: inout Transaction) throws {}
    func restore(_ record: inout ResourceRecord, of resource: ResourceKey, in transaction: inout Transaction) throws {}
}

/// Those parts, looked up once for each transaction.
private final class RowStages: CommitState {
    let all: [any RowStage]

    init(_ shared: SharedState) { all = shared.parts(as: (any RowStage).self) }
}

extension Transaction {
    /// Tells observers and the layers above of the change of one row.
    mutating func note(_ row: RowChange) throws {
        if !row.isOverlaid {
            if row.isRemoval { effects.changes.noteRemoval(row.key) } else { effects.changes.noteUpsert(row.key) }
        }
        for stage in state(RowStages.self).all { try stage.changed(row, in: &self) }
    }

    /// Has the layers above add what they know of a resource to its record.
    mutating func restore(_ record: inout ResourceRecord, of resource: ResourceKey) throws {
        for stage in state(RowStages.self).all { try stage.restore(&record, of: resource, in: &self) }
    }

    /// Tells observers and the layers above that all rows of a resource were replaced or withdrawn.
    mutating func noteReplacedRows(of resource: ResourceKey) throws {
        effects.changes.noteReplaced(resource)
        for stage in state(RowStages.self).all { try stage.replacedRows(of: resource, in: &self) }
    }
}
