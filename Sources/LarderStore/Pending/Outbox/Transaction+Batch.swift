package import LarderFormat

extension Transaction {
    /// Dissolves a batch that loses a member: the rest would be a different request under the same key.
    ///
    /// Its members are sent one by one under their own keys, and in no batch any more. Their doubt, number of tries and
    /// due time stay. A batch that is being sent must not be dissolved.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``EngineError``.
    /// - Complexity: reads the head and the delivery of every entry.
    package mutating func dissolveBatch(_ key: UUIDBytes) throws {
        for entry in try readableOutboxHeads() where entry.delivery.batch == key {
            var delivery = entry.delivery
            delivery.batch = nil
            delivery.isUnbatched = true
            _ = try updateDelivery(of: entry.id, from: entry.delivery, to: delivery)
        }
    }
}
