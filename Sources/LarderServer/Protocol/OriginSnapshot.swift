import LarderJSON
import Synchronization

/// A snapshot of one resource: all its rows as of one change, written in pieces.
///
/// It shares the rows with the origin until the origin changes them. Any number may be in use, and a slow reader still
/// gets the rows of one change.
public struct OriginSnapshot: Sequence, Sendable {
    /// The minimum size of a piece in bytes, except for the last: large enough for cheap writes, small enough for
    /// memory.
    public static let chunkSize = 32_768

    /// The resource.
    public let resource: Origin.ResourceID
    /// The number of the origin's latest change when the snapshot was made: `sync_sequence`.
    public let sequence: Int64
    /// The number of rows.
    public let count: Int
    /// Whether it is the response to a URL of its own, which caches may keep: the URL names a version that it includes.
    package let isVersion: Bool
    let schemaVersion: Int64
    let contentID: Int64?
    /// The number of places of rows, of which those of deleted rows are empty.
    let places: Int
    /// Returns the row at a place as sent over the wire.
    let row: @Sendable (Int) -> [UInt8]?

    /// Creates a snapshot of rows that are stored elsewhere.
    ///
    /// - Parameters:
    ///   - contentID: The value of `resource_content_id`.
    ///   - places: The number of places of rows.
    ///   - isVersion: Whether caches may keep it.
    ///   - row: Returns the row at a place; `nil` for an empty one.
    package init(
        of resource: Origin.ResourceID, at sequence: Int64, count: Int, schemaVersion: Int64, contentID: Int64?,
        places: Int, isVersion: Bool = false, row: @escaping @Sendable (Int) -> [UInt8]?
    ) {
        self.isVersion = isVersion
        self.resource = resource
        self.sequence = sequence
        self.count = count
        self.schemaVersion = schemaVersion
        self.contentID = contentID
        self.places = places
        self.row = row
    }

    /// Returns an iterator over the pieces of the body, each of them non-empty.
    public func makeIterator() -> Iterator { Iterator(self) }

    /// Writes the body piece by piece.
    public struct Iterator: IteratorProtocol {
        private let snapshot: OriginSnapshot
        private var index = -1
        private var hasWrittenRow = false

        init(_ copy: OriginSnapshot) { self.snapshot = copy }

        /// Returns the next piece, or `nil` after the last.
        public mutating func next() -> [UInt8]? {
            guard index <= snapshot.places else { return nil }
            var writer = JSONWriter()
            if index < 0 {
                writeHead(to: &writer)
                index = 0
            }
            while index < snapshot.places, writer.bytes.count < OriginSnapshot.chunkSize {
                if let row = snapshot.row(index) {
                    if hasWrittenRow { writer.raw(",") }
                    writer.raw(row)
                    hasWrittenRow = true
                }
                index += 1
            }
            if index == snapshot.places {
                writer.raw("]}")
                index += 1
            }
            return writer.bytes
        }

        private func writeHead(to writer: inout JSONWriter) {
            writer.raw("{\"resource_group\":")
            writer.string(snapshot.resource.group)
            writer.raw(",\"resource_id\":")
            writer.integer(snapshot.resource.id)
            writer.raw(",\"resource_content_id\":")
            writer.integer(snapshot.contentID)
            writer.raw(",\"schema_version\":")
            writer.integer(snapshot.schemaVersion)
            writer.raw(",\"sync_sequence\":")
            writer.integer(snapshot.sequence)
            writer.raw(",\"records\":[")
        }
    }
}

extension Origin {
    /// Returns the snapshot of a public resource, as of now.
    ///
    /// - Throws: ``OriginProblem/unknownResourceGroup``, or ``OriginProblem/snapshotNotFound`` when the resource is
    ///   hidden or was never created.
    public func snapshot(of resource: ResourceID) throws(OriginProblem) -> OriginSnapshot {
        try state.withLock { (state) throws(OriginProblem) in
            guard state.hasGroup(resource.group) else { throw OriginProblem.unknownResourceGroup }
            guard let entry = state.resources[resource], entry.published != nil else {
                throw OriginProblem.snapshotNotFound
            }
            let rows = entry.rows
            return OriginSnapshot(
                of: resource, at: state.sequence, count: rows.count, schemaVersion: state.schemaVersion,
                contentID: state.rules(of: resource.group).carriesContentID ? resource.id : nil,
                places: rows.entries.count, row: { place in rows.entries[place]?.body })
        }
    }
}
