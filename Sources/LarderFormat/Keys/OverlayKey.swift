/// The keys of the table `overlay`: (group, id, type, key, sequence).
///
/// FORMAT.md, "overlay".
package enum OverlayKey {
    /// Appends the key of an overlay.
    package static func append(_ row: RowKey, sequence: Int64, to buffer: inout KeyBuffer) throws(FormatError) {
        try append(row, to: &buffer)
        try buffer.append(integer: sequence)
    }

    /// Appends what the keys of all overlays of a row begin with.
    package static func append(_ row: RowKey, to buffer: inout KeyBuffer) throws(FormatError) {
        try RowKeyCoding.checkBudget(resource: row.resource, type: row.type, key: row.key)
        try buffer.append(resource: row.resource)
        try buffer.append(text: row.type)
        try buffer.append(recordKey: row.key)
    }

    /// Reads a key back.
    package static func decode(_ key: RawSpan) throws(FormatError) -> (row: RowKey, sequence: Int64) {
        let (row, _, sequence) = try decodeParts(key)
        return (row, sequence)
    }

    /// As ``decode(_:)``, with where type and key stand in the bytes: they stand so in the row's key too.
    package static func decodeParts(
        _ key: RawSpan
    ) throws(FormatError) -> (row: RowKey, address: Range<Int>, sequence: Int64) {
        var reader = TupleReader(key)
        let resource = try reader.resource()
        let start = reader.offset
        let type = try reader.text()
        let name = try reader.recordKey()
        let end = reader.offset
        let sequence = try reader.count("sequence")
        try reader.end()
        return (RowKey(resource: resource, type: type, key: name), start..<end, sequence)
    }
}
