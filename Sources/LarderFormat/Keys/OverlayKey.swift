/// The keys of the table `overlay`: (group, id, type, key) for a shown row, and (0, group, id, type, key, sequence) for
/// each write to it.
///
/// FORMAT.md, "overlay".
package enum OverlayKey {
    /// The prefix of the keys of all shown rows; keys of writes begin with an integer and sort behind them.
    package static let resultPrefix = [TupleCode.text]
    /// The prefix of the keys of all writes: the integer 0.
    package static let writesPrefix = [TupleCode.zero]

    /// Appends the key of the shown version of a row.
    ///
    /// - Throws: ``FormatError`` as ``RowKeyCoding/checkBudget(resource:type:key:)``.
    package static func append(_ row: RowKey, to buffer: inout KeyBuffer) throws(FormatError) {
        try RowKeyCoding.checkBudget(resource: row.resource, type: row.type, key: row.key)
        try buffer.append(resource: row.resource)
        try buffer.append(text: row.type)
        try buffer.append(recordKey: row.key)
    }

    /// Appends the prefix of the keys of all writes to a row.
    ///
    /// - Throws: ``FormatError`` as ``RowKeyCoding/checkBudget(resource:type:key:)``.
    package static func appendWrites(over row: RowKey, to buffer: inout KeyBuffer) throws(FormatError) {
        try buffer.append(integer: 0)
        try append(row, to: &buffer)
    }

    /// Appends the prefix of the keys of all writes to the rows of a resource.
    ///
    /// - Throws: ``FormatError/keyTooLong(actual:limit:)`` for a group that does not fit.
    package static func appendWrites(over resource: ResourceKey, to buffer: inout KeyBuffer) throws(FormatError) {
        try buffer.append(integer: 0)
        try buffer.append(resource: resource)
    }

    /// Appends the key of a write.
    ///
    /// - Throws: ``FormatError`` as ``RowKeyCoding/checkBudget(resource:type:key:)``.
    package static func append(_ row: RowKey, sequence: Int64, to buffer: inout KeyBuffer) throws(FormatError) {
        try appendWrites(over: row, to: &buffer)
        try buffer.append(integer: sequence)
    }

    /// Reads a key; `sequence` is nil for the shown version of a row.
    ///
    /// - Throws: ``FormatError/invalidValue(field:value:)`` for another kind than 0 or a negative sequence,
    ///   ``FormatError/trailingBytes(offset:)``; else as ``TupleReader``.
    package static func decode(_ key: RawSpan) throws(FormatError) -> (row: RowKey, sequence: Int64?) {
        var reader = TupleReader(key)
        let isWrite = reader.isAtInteger
        if isWrite {
            let kind = try reader.integer()
            guard kind == 0 else { throw .invalidValue(field: "kind", value: kind) }
        }
        let row = try reader.row()
        let sequence = isWrite ? try reader.count("sequence") : nil
        try reader.checkEnd()
        return (row, sequence)
    }
}
