import LarderJSON
import Synchronization

/// A snapshot of one resource: all its rows as of one change, written in pieces.
///
/// It shares the rows with the origin until the origin changes them. Any number may be in use, and a slow reader still
/// gets the rows of one moment.
public struct FullCopy: Sequence, Sendable {
    /// The minimum size of a piece in bytes, except for the last: large enough for cheap writes, small enough for
    /// memory.
    public static let pieceSize = 32_768

    /// The resource.
    public let resource: Origin.ResourceID
    /// The number of the origin's latest change when the snapshot was made: `sync_sequence`.
    public let sequence: Int64
    /// The number of rows.
    public let count: Int
    let schemaVersion: Int64
    let contentID: Int64?
    let rows: RowTable

    /// Returns an iterator over the pieces of the body, each of them non-empty.
    public func makeIterator() -> Iterator { Iterator(self) }

    /// Writes the body piece by piece.
    public struct Iterator: IteratorProtocol {
        private let copy: FullCopy
        private var place = -1
        private var hasWrittenRow = false

        init(_ copy: FullCopy) { self.copy = copy }

        /// Returns the next piece, or `nil` after the last.
        public mutating func next() -> [UInt8]? {
            let entries = copy.rows.entries
            guard place <= entries.count else { return nil }
            var writer = JSONWriter()
            if place < 0 {
                writeHead(to: &writer)
                place = 0
            }
            while place < entries.count, writer.bytes.count < FullCopy.pieceSize {
                if let entry = entries[place] {
                    if hasWrittenRow { writer.raw(",") }
                    writer.raw(entry.body)
                    hasWrittenRow = true
                }
                place += 1
            }
            if place == entries.count {
                writer.raw("]}")
                place += 1
            }
            return writer.bytes
        }

        private func writeHead(to writer: inout JSONWriter) {
            writer.raw("{\"resource_group\":")
            writer.string(copy.resource.group)
            writer.raw(",\"resource_id\":")
            writer.integer(copy.resource.id)
            writer.raw(",\"resource_content_id\":")
            writer.integer(copy.contentID)
            writer.raw(",\"schema_version\":")
            writer.integer(copy.schemaVersion)
            writer.raw(",\"sync_sequence\":")
            writer.integer(copy.sequence)
            writer.raw(",\"records\":[")
        }
    }
}

extension Origin {
    /// Returns the snapshot of a public resource, as of now.
    ///
    /// - Throws: ``OriginProblem/unknownResourceGroup``, or ``OriginProblem/snapshotNotFound`` when the resource is
    ///   hidden or was never created.
    public func fullCopy(of resource: ResourceID) throws(OriginProblem) -> FullCopy {
        try state.withLock { (state) throws(OriginProblem) in
            guard state.knows(resource.group) else { throw OriginProblem.unknownResourceGroup }
            guard let entry = state.resources[resource], entry.published != nil else {
                throw OriginProblem.snapshotNotFound
            }
            return FullCopy(
                resource: resource, sequence: state.sequence, count: entry.rows.count,
                schemaVersion: state.schemaVersion,
                contentID: state.rules(of: resource.group).carriesContentID ? resource.id : nil, rows: entry.rows)
        }
    }
}
