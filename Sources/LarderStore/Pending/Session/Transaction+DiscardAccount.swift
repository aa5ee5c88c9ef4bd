internal import LarderEngine
package import LarderFormat

extension Transaction {
    /// Discards the content of an account that the server does not have: entries, including dead letters, and points.
    ///
    /// Each entry is removed with its overlays, with the outcome `dropped` in the journal. An entry whose head is
    /// damaged stays, because its account is unknown; it is never sent. The commit is fully durable, whatever
    /// durability the write requested.
    ///
    /// - Parameters:
    ///   - detail: the reason, as plain text.
    ///   - time: milliseconds since 1970-01-01 UTC.
    /// - Returns: the identities of the removed entries.
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``EngineError``.
    @discardableResult
    package mutating func discardUnsent(of account: String?, detail: String?, at time: Int64) throws -> [UUIDBytes] {
        requireFullDurability()
        let entries = try tables.readableEntries(in: engine).filter { $0.draft.account.equalsBytewise(account) }
        for entry in entries {
            if (try? tables.delivery(entry.id, in: engine)) == nil {
                try removeUndeliverable(entry, outcome: "dropped", detail: detail, at: time)
            } else {
                try removeEntry(entry.id, outcome: "dropped", detail: detail, at: time)
            }
        }
        for (name, _) in try tables.buffers(in: engine) where name.account.equalsBytewise(account) {
            try removeBuffer(name)
        }
        return entries.map(\.id)
    }
}
