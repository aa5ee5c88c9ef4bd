/// A key of the table `blobs`, which holds what is known of each blob, and after all that, their chunks.
///
/// FORMAT.md, "blobs".
package enum BlobKey: Hashable, Sendable {
    /// A ``BlobRecord`` stands here.
    case head(Int64)
    /// Bytes of a blob stand here; chunks are counted from 0.
    case chunk(blob: Int64, number: Int64)

    enum Kind: Int64 {
        case head = 0
        case chunk = 1
    }

    /// Reads a key.
    package init(decoding key: RawSpan) throws(FormatError) {
        var reader = TupleReader(key)
        switch try reader.state("kind", as: Kind.self) {
        case .head: self = .head(try reader.count("blob"))
        case .chunk: self = .chunk(blob: try reader.count("blob"), number: try reader.count("chunk"))
        }
        try reader.end()
    }

    /// Appends the key.
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

    /// The bytes that the keys of all chunks of a blob begin with.
    package static func chunks(of blob: Int64) -> [UInt8] {
        var writer = TupleWriter()
        writer.append(integer: Kind.chunk.rawValue)
        writer.append(integer: blob)
        return writer.bytes
    }
}
