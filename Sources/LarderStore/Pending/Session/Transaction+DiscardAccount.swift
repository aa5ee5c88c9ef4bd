internal import LarderEngine
package import LarderFormat

extension Transaction {
    /// Gives up everything an account made that the server does not have: entries, dead letters among them, and points.
    ///
    /// Each entry leaves with the outcome `dropped` in the journal, and its overlays with it. One whose head is damaged stays, since
    /// whose it is cannot be known, and is never sent. The commit is fully durable, whatever durability the write asked for.
    ///
    /// - Parameters:
    ///   - detail: why, for people.
    ///   - time: milliseconds since 1970-01-01 UTC.
    /// - Returns: the entries that left.
    @discardableResult
    package mutating func discardUnsent(of account: String?, detail: String?, at time: Int64) throws -> [UUIDBytes] {
        requireFullDurability()
        let entries = try tables.readableEntries(in: engine).filter { $0.draft.account.isBytewise(account) }
        for entry in entries {
            if (try? tables.delivery(entry.id, in: engine)) == nil {
                try removeUndeliverable(entry, outcome: "dropped", detail: detail, at: time)
            } else {
                try acknowledge(entry.id, outcome: "dropped", detail: detail, at: time)
            }
        }
        for (name, _) in try tables.buffers(in: engine) where name.account.isBytewise(account) {
            try removeBuffer(name)
        }
        return entries.map(\.id)
    }
}
