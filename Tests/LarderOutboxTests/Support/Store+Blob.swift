// Store.storeBlob: stores a blob for a test.

import LarderFormat
import LarderStore

extension Store {
    /// Keeps `content` as a blob for a write to name.
    func storeBlob(_ content: [UInt8]) async throws -> Blob {
        let writer = try makeBlob()
        writer.append(content.rawSpan)
        try await writer.flush()
        return try await write { transaction in try writer.finish(in: &transaction) }
    }
}
