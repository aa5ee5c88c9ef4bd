internal import LarderEngine
package import LarderFormat

extension Transaction {
    /// Gives up everything an account made that the server does not have: entries, dead letters among them, and points.
    ///
    /// Each entry leaves with the outcome `dropped` in the journal, and its overlays with it; those that are damaged stay, and are
    /// never sent. The commit is fully durable, whatever durability the write asked for.
    ///
    /// - Parameters:
    ///   - detail: why, for people.
    ///   - time: milliseconds since 1970-01-01 UTC.
    /// - Returns: the entries that left.
    @discardableResult
    package mutating func discardUnsent(of account: String?, detail: String?, at time: Int64) throws -> [UUIDBytes] {
        requireFullDurability()
        let ids = try tables.entryIDs(of: account, in: engine)
        var left: [UUIDBytes] = []
        for id in ids {
            do {
                try acknowledge(id, outcome: "dropped", detail: detail, at: time)
                left.append(id)
            } catch StoreError.damaged {
                // Nothing sends it, as its delivery cannot be read; it goes when the content is removed.
            }
        }
        for (name, _) in try tables.buffers(in: engine) where name.account.isBytewise(account) {
            try removeBuffer(name)
        }
        return left
    }
}
