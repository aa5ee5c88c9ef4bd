package import LarderFormat

/// Rows of a snapshot that are not encoded yet: a key contains the number of its generation, which is not begun.
package struct SnapshotRows: Sendable {
    fileprivate struct Item {
        let type: String
        let key: String
        let payload: Range<Int>
    }

    /// The resource of the rows.
    package let resource: ResourceKey
    private let updatedAt: Int64
    private var payloads: [UInt8] = []
    private var items: [Item] = []
    /// The most bytes that the keys and values of the rows have when they are encoded.
    package private(set) var byteCount = 0

    /// No rows.
    ///
    /// - Parameter updatedAt: the time of all rows, in milliseconds since 1970-01-01 UTC.
    package init(of resource: ResourceKey, updatedAt: Int64) {
        self.resource = resource
        self.updatedAt = updatedAt
    }

    /// The number of rows.
    package var count: Int { items.count }

    /// Adds a row with a JSON payload; of two with one key, the later wins.
    ///
    /// - Throws: ``StoreError/invalid(_:)`` for a key or payload beyond the format's limits.
    package mutating func append(_ payload: RawSpan, type: String, key: String) throws(StoreError) {
        try encoding {
            try Limits.check(payload: payload.byteCount)
            try RowKeyCoding.checkBudget(resource: resource, type: type, key: key)
        }
        let start = payloads.count
        payloads.append(copying: payload)
        items.append(Item(type: type, key: key, payload: start..<payloads.count))
        // Beside the payload, a value has 20 bytes, and a key at most 25 and those of its texts.
        byteCount += payload.byteCount + 45 + type.utf8.count + key.utf8.count
    }

    /// Removes the rows, and keeps the memory.
    package mutating func removeAll() {
        payloads.removeAll(keepingCapacity: true)
        items.removeAll(keepingCapacity: true)
        byteCount = 0
    }

    /// Returns the rows, encoded for the generation of `staging`.
    ///
    /// - Throws: ``StoreError/invalid(_:)``.
    package func encoded(for staging: Staging) throws(StoreError) -> RowBatch {
        var batch = RowBatch(for: staging)
        batch.reserveCapacity(bytes: byteCount, count: count)
        for item in items {
            try batch.append(
                payloads.rawSpan.extracting(item.payload), type: item.type, key: item.key, updatedAt: updatedAt)
        }
        return batch
    }
}
