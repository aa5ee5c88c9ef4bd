internal import LarderFormat
internal import LarderStore

/// A converter of the bytes of a snapshot to rows, as they arrive.
struct SnapshotRowDecoder: Sendable {
    /// The size of the collected rows, in bytes, at which they are handed to the writer.
    private static let batchBytes = 512 << 10

    let staging: Staging
    private let resource: ResourceKey
    private let mapping: RowKeyMapping
    private let now: Int64
    private var parser: SnapshotParser
    private var batch: RowBatch
    private(set) var rows = 0
    private(set) var bytes = 0

    init(_ resource: ResourceKey, _ staging: Staging, _ mapping: RowKeyMapping, bodyLimit: Int, now: Int64) {
        self.resource = resource
        self.staging = staging
        self.mapping = mapping
        self.now = now
        parser = SnapshotParser(capturing: mapping.names, bodyLimit: bodyLimit)
        batch = RowBatch(for: staging)
    }

    /// Whether enough rows have gathered to be written.
    var isFull: Bool { batch.byteCount >= Self.batchBytes }

    mutating func consume(_ chunk: [UInt8]) throws(SyncError) {
        bytes += chunk.count
        do {
            var position = 0
            while try parser.next(in: chunk, at: &position) {
                let key = try mapping.key(resource.group, parser.record.fields)
                let payload = parser.record.bytes
                try batch.append(payload.rawSpan, type: key.type, key: key.key, updatedAt: now)
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

    /// Returns the rows collected so far, and starts an empty batch.
    mutating func removeBatch() -> RowBatch {
        let full = batch
        batch = RowBatch(for: staging)
        return full
    }

    /// Ends the body and returns the header of the snapshot.
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
