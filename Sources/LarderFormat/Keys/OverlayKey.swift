/// The keys of the table `overlay`: (group, id, type, key) of what readers see of a row, and
/// (0, group, id, type, key, sequence) of each write over it.
///
/// FORMAT.md, "overlay".
package enum OverlayKey {
    /// What the keys of all rows that readers see begin with; those of writes begin with an integer and lie behind them.
    package static let shownPrefix = [TupleCode.text]
    /// What the keys of all writes begin with: the integer 0.
    package static let writesPrefix = [TupleCode.zero]

    /// Appends the key of what readers see of a row.
    package static func append(_ row: RowKey, to buffer: inout KeyBuffer) throws(FormatError) {
        try RowKeyCoding.checkBudget(resource: row.resource, type: row.type, key: row.key)
        try buffer.append(resource: row.resource)
        try buffer.append(text: row.type)
        try buffer.append(recordKey: row.key)
    }

    /// Appends what the keys of all writes over a row begin with.
    package static func appendWrites(over row: RowKey, to buffer: inout KeyBuffer) throws(FormatError) {
        try buffer.append(integer: 0)
        try append(row, to: &buffer)
    }

    /// Appends what the keys of all writes over the rows of a resource begin with.
    package static func appendWrites(over resource: ResourceKey, to buffer: inout KeyBuffer) throws(FormatError) {
        try buffer.append(integer: 0)
        try buffer.append(resource: resource)
    }

    /// Appends the key of a write.
    package static func append(_ row: RowKey, sequence: Int64, to buffer: inout KeyBuffer) throws(FormatError) {
        try appendWrites(over: row, to: &buffer)
        try buffer.append(integer: sequence)
    }

    /// Reads a key back; `sequence` is nil for what readers see.
    package static func decode(_ key: RawSpan) throws(FormatError) -> (row: RowKey, sequence: Int64?) {
        var reader = TupleReader(key)
        let isWrite = reader.isAtInteger
        if isWrite {
            let kind = try reader.integer()
            guard kind == 0 else { throw .invalidValue(field: "kind", value: kind) }
        }
        let row = try reader.row()
        let sequence = isWrite ? try reader.count("sequence") : nil
        try reader.end()
        return (row, sequence)
    }
}
