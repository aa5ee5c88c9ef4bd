/// A key of the table `blobs`, which contains the head of each blob, and after all heads the chunks.
///
/// FORMAT.md, "blobs".
package enum BlobKey: Hashable, Sendable {
    /// The key of a ``BlobRecord``.
    case head(Int64)
    /// The key of bytes of a blob; chunks are counted from 0.
    case chunk(blob: Int64, number: Int64)

    enum Kind: Int64 {
        case head = 0
        case chunk = 1
    }

    /// Reads a key.
    ///
    /// - Throws: ``FormatError/invalidValue(field:value:)`` for an unknown kind,
    ///   ``FormatError/trailingBytes(offset:)``; else as ``TupleReader``.
    package init(decoding key: RawSpan) throws(FormatError) {
        var reader = TupleReader(key)
        switch try reader.state("kind", as: Kind.self) {
        case .head: self = .head(try reader.count("blob"))
        case .chunk: self = .chunk(blob: try reader.count("blob"), number: try reader.count("chunk"))
        }
        try reader.checkEnd()
    }

    /// Appends the key.
    ///
    /// - Throws: ``FormatError/keyTooLong(actual:limit:)`` beyond ``Limits/key``.
    package func append(to buffer: inout KeyBuffer) throws(FormatError) {
        switch self {
        case .head(let blob):
            try buffer.append(integer: Kind.head.rawValue)
            try buffer.append(integer: blob)
        case .chunk(let blob, let number):
            try buffer.append(integer: Kind.chunk.rawValue)
            try buffer.append(integer: blob)
            try buffer.append(integer: number)
        }
    }

    /// Returns the prefix of the keys of all chunks of a blob.
    package static func chunks(of blob: Int64) -> [UInt8] {
        var writer = TupleWriter()
        writer.append(integer: Kind.chunk.rawValue)
        writer.append(integer: blob)
        return writer.bytes
    }
}
