// Reads the responses of a cache key as they are stored.

import LarderFormat
import LarderStore

extension ReadView {
    /// Returns the responses stored under a cache key, the most recent first.
    borrowing func responses(forKey key: String) throws -> [ResponseEntry] {
        try responses(forKey: key, decoded: DecodedResponses()) { $0 }
            .sorted { $0.record.receivedAt > $1.record.receivedAt }
    }
}
