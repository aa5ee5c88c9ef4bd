import LarderFormat
import LarderStore

extension Store {
    /// Keeps `content` as a blob for a write to name.
    func keepBlob(_ content: [UInt8]) async throws -> Blob {
        let writer = try makeBlob()
        writer.append(content.rawSpan)
        try await writer.flush()
        return try await write { transaction in try writer.finish(in: &transaction) }
    }
}
