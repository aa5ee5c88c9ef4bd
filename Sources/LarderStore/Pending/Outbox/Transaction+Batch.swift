package import LarderFormat

extension Transaction {
    /// Takes a batch apart, because a member goes its own way: what is left of it would be another request under its key.
    ///
    /// Its members are sent one by one under their own keys, and in no batch any more. Whether they are in doubt, how often
    /// they were tried and when they are due stays. Not for a batch that is being sent.
    ///
    /// - Complexity: a look at every entry.
    package mutating func dissolveBatch(_ key: UUIDBytes) throws {
        for entry in try readableOutboxHeads() where entry.delivery.batch == key {
            var delivery = entry.delivery
            delivery.batch = nil
            delivery.isAlone = true
            _ = try update(entry.id, from: entry.delivery, to: delivery)
        }
    }
}
