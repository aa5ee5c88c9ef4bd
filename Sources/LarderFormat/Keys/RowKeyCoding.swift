/// The keys of the table `rows`.
///
/// FORMAT.md, "rows": (generation, type, key), and the owner row (generation) alone, first in its generation.
package enum RowKeyCoding {
    /// Returns the prefix of every key of a generation, which is also the key of its owner row.
    package static func prefix(generation: Int64) -> [UInt8] {
        TupleWriter.bytes { $0.append(integer: generation) }
    }

    /// Returns the prefix of the keys of all rows of one type in a generation.
    package static func prefix(generation: Int64, type: String) -> [UInt8] {
        var writer = TupleWriter()
        writer.append(integer: generation)
        writer.append(text: type)
        return writer.bytes
    }

    /// Appends the key of a row.
    ///
    /// - Throws: ``FormatError/keyTooLong(actual:limit:)`` beyond ``Limits/key``.
    package static func append(
        generation: Int64, type: String, key: String, to buffer: inout KeyBuffer
    ) throws(FormatError) {
        try buffer.append(integer: generation)
        try buffer.append(text: type)
        try buffer.append(recordKey: key)
    }

    /// Returns the key of a row.
    ///
    /// - Throws: ``FormatError/keyTooLong(actual:limit:)`` beyond ``Limits/key``.
    package static func key(generation: Int64, type: String, key: String) throws(FormatError) -> [UInt8] {
        var buffer = KeyBuffer()
        try append(generation: generation, type: type, key: key, to: &buffer)
        return buffer.array()
    }

    /// Reads a key; `row` is `nil` for the owner row.
    ///
    /// - Throws: ``FormatError/trailingBytes(offset:)``; else as ``TupleReader``.
    package static func decode(
        _ key: RawSpan
    ) throws(FormatError) -> (generation: Int64, row: (type: String, key: String)?) {
        var reader = TupleReader(key)
        let generation = try reader.integer()
        if reader.isAtEnd { return (generation, nil) }
        let type = try reader.text()
        let recordKey = try reader.recordKey()
        try reader.checkEnd()
        return (generation, (type, recordKey))
    }

    /// Checks that a row's full address fits every table that may contain it.
    ///
    /// - Throws: ``FormatError/keyTooLong(actual:limit:)`` when the group, the type, or all parts together exceed
    ///   ``Limits/group``, ``Limits/rowType`` or ``Limits/rowAddress``.
    package static func checkBudget(resource: ResourceKey, type: String, key: String) throws(FormatError) {
        // Escapes at most double a text, so this much fits whatever the bytes are, and they need not be counted.
        let plain = resource.group.utf8.count + type.utf8.count + key.utf8.count
        if 2 * plain + TupleLength.mostOverhead <= min(Limits.group, Limits.rowType, Limits.rowAddress) { return }
        let group = TupleLength.text(resource.group)
        try Limits.check(key: group, limit: Limits.group)
        let typeLength = TupleLength.text(type)
        try Limits.check(key: typeLength, limit: Limits.rowType)
        let total = group + TupleLength.integer(resource.id) + typeLength + TupleLength.recordKey(key)
        try Limits.check(key: total, limit: Limits.rowAddress)
    }
}
