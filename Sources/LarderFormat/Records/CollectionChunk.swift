/// A record of `collections`: the names of some of a collection's rows, in order.
///
/// FORMAT.md, "collections". Key: (2, number, chunk).
package struct CollectionChunk: Hashable, Sendable {
    /// The rows it names, at least one.
    package var rows: [RowKey]

    /// Makes a chunk of `rows`.
    package init(rows: [RowKey]) {
        self.rows = rows
    }

    /// Reads a body.
    ///
    /// - Parameters:
    ///   - mainResource: the resource of rows that are named by their key alone.
    ///   - type: the type of those rows: the class of the collection.
    /// - Throws: ``FormatError/invalidValue(field:value:)`` for a negative number of rows, or none; else as
    ///   ``TupleReader``.
    package init(decoding body: RawSpan, mainResource: ResourceKey, type: String) throws(FormatError) {
        var reader = TupleReader(body)
        let count = try reader.count("rows")
        if count == 0 { throw .invalidValue(field: "rows", value: 0) }
        rows = []
        // A row has at least two bytes, so the number, which may be damaged, reserves no memory.
        for _ in 0..<count {
            if try reader.consumeNull() {
                rows.append(try reader.row())
            } else {
                rows.append(RowKey(resource: mainResource, type: type, key: try reader.recordKey()))
            }
        }
    }

    /// Returns the body; see ``split(_:mainResource:type:)`` for the rows that fit one chunk.
    package func encode(mainResource: ResourceKey, type: String) -> [UInt8] {
        var writer = TupleWriter()
        writer.append(integer: Int64(rows.count))
        for row in rows { Self.append(row, mainResource: mainResource, type: type, to: &writer) }
        return writer.bytes
    }

    /// Divides the rows of a collection into as few chunks as the limit of a chunk allows.
    package static func split(_ rows: [RowKey], mainResource: ResourceKey, type: String) -> [CollectionChunk] {
        // The header, and the number of rows in its longest encoding.
        let overhead = RecordHeader.size + 9
        var chunks: [CollectionChunk] = []
        var current: [RowKey] = []
        var size = overhead
        for row in rows {
            var writer = TupleWriter()
            append(row, mainResource: mainResource, type: type, to: &writer)
            if size + writer.bytes.count > Limits.collectionChunk {
                chunks.append(CollectionChunk(rows: current))
                current = []
                size = overhead
            }
            current.append(row)
            size += writer.bytes.count
        }
        if !current.isEmpty { chunks.append(CollectionChunk(rows: current)) }
        return chunks
    }

    private static func append(_ row: RowKey, mainResource: ResourceKey, type: String, to writer: inout TupleWriter) {
        if row.resource != mainResource || !row.type.equalsBytewise(type) {
            writer.appendNull()
            writer.append(resource: row.resource)
            writer.append(text: row.type)
        }
        writer.append(recordKey: row.key)
    }
}
