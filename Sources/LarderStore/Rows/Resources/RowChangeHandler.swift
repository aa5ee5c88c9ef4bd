internal import LarderFormat

/// A change of one of the server's rows.
struct RowChange {
    let key: RowKey
    let isRemoval: Bool
    /// Whether the resource has overlays, which then decide what is shown of the row.
    let isOverlaid: Bool
}

/// A part that follows changes of the server's rows in the transaction that makes them.
protocol RowChangeHandler: SharedPart {
    /// Follows the change of one row.
    func rowDidChange(_ row: RowChange, in transaction: inout Transaction) throws
    /// Follows the replacement or withdrawal of all rows of a resource.
    func didReplaceRows(of resource: ResourceKey, in transaction: inout Transaction) throws
    /// Adds the layer's data about a resource to its record, which is rebuilt because it could not be read.
    func restore(_ record: inout ResourceRecord, of resource: ResourceKey, in transaction: inout Transaction) throws
}

extension RowChangeHandler {
    func rowDidChange(_ row: RowChange, in transaction: inout Transaction) throws {}
    func didReplaceRows(of resource: ResourceKey, in transaction: inout Transaction) throws {}
    func restore(_ record: inout ResourceRecord, of resource: ResourceKey, in transaction: inout Transaction) throws {}
}

/// The handlers, looked up once for each transaction.
private final class RowChangeHandlers: CommitState {
    let all: [any RowChangeHandler]

    init(_ shared: SharedState) { all = shared.parts(as: (any RowChangeHandler).self) }
}

extension Transaction {
    /// Reports the change of one row to the layers above and, if the resource has no overlays, to observers.
    mutating func markChanged(_ row: RowChange) throws {
        if !row.isOverlaid {
            if row.isRemoval { effects.changes.addRemoval(row.key) } else { effects.changes.addUpsert(row.key) }
        }
        for handler in state(RowChangeHandlers.self).all { try handler.rowDidChange(row, in: &self) }
    }

    /// Has the layers above add their data about a resource to its record.
    mutating func restore(_ record: inout ResourceRecord, of resource: ResourceKey) throws {
        for handler in state(RowChangeHandlers.self).all { try handler.restore(&record, of: resource, in: &self) }
    }

    /// Notifies observers and the layers above that all rows of a resource were replaced or withdrawn.
    mutating func markRowsReplaced(of resource: ResourceKey) throws {
        effects.changes.addReplaced(resource)
        for handler in state(RowChangeHandlers.self).all { try handler.didReplaceRows(of: resource, in: &self) }
    }
}
