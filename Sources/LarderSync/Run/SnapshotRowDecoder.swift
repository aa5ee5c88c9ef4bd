internal import LarderFormat
internal import LarderStore

/// A converter of the bytes of a snapshot to rows, as they arrive.
struct SnapshotRowDecoder: Sendable {
    /// The size of the collected rows, in bytes, at which they are handed to the writer.
    private static let batchBytes = 512 << 10

    private let resource: ResourceKey
    private let mapping: RowKeyMapping
    private var parser: SnapshotParser
    /// The rows that have gathered since they were removed last.
    private(set) var gathered: SnapshotRows
    private(set) var rows = 0
    private(set) var bytes = 0

    init(_ resource: ResourceKey, _ mapping: RowKeyMapping, bodyLimit: Int, now: Int64) {
        self.resource = resource
        self.mapping = mapping
        parser = SnapshotParser(capturing: mapping.names, bodyLimit: bodyLimit)
        gathered = SnapshotRows(of: resource, updatedAt: now)
    }

    /// Whether enough rows have gathered to be written.
    var isFull: Bool { gathered.byteCount >= Self.batchBytes }

    /// Whether the rows are few enough to be replaced at once.
    var isSmall: Bool { bytes <= Store.mostBytesAtOnce && rows <= Store.mostRowsAtOnce }

    mutating func consume(_ chunk: [UInt8]) throws(SyncError) {
        bytes += chunk.count
        do {
            var position = 0
            while try parser.next(in: chunk, at: &position) {
                let key = try mapping.key(resource.group, parser.record.fields)
                let payload = parser.record.bytes
                try gathered.append(payload.rawSpan, type: key.type, key: key.key)
                rows += 1
            }
        } catch let error as WireError {
            // Rows whose type is unknown must not cause the resource to be skipped when the snapshot is of another
            // resource.
            if parser.isForeign(to: resource.group, resource.id) { throw .wrongSnapshot(resource) }
            throw .wire(error, request: .snapshot)
        } catch {
            throw .store(error)
        }
    }

    /// Removes the rows that have gathered, and returns them encoded.
    mutating func removeBatch(for staging: Staging) throws(StoreError) -> RowBatch {
        defer { gathered.removeAll() }
        return try gathered.encoded(for: staging)
    }

    /// Ends the body and returns the header of the snapshot. May be repeated.
    mutating func finish() throws(SyncError) -> SnapshotHeader {
        let header: SnapshotHeader
        do throws(WireError) {
            header = try parser.finish()
        } catch {
            throw .wire(error, request: .snapshot)
        }
        guard ResourceKey(header.group, header.id) == resource else { throw .wrongSnapshot(resource) }
        return header
    }
}
