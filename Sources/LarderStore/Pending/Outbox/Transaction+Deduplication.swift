package import LarderFormat

// The entries with a deduplication key: one record for each hash of a key, so that an enqueue reads no other entry.
extension Transaction {
    /// Returns the entry of the same account with the same deduplication key that is not rejected, without body and
    /// header fields.
    ///
    /// - Throws: ``EngineError``.
    package borrowing func outboxHead(duplicatedBy draft: OutboxDraft) throws -> OutboxEntry? {
        guard let key = draft.deduplicationKey, let hash = draft.deduplicationHash else { return nil }
        for id in try deduplicatedEntries(hash) {
            do {
                guard let head = try outboxHead(id), head.delivery.state != .rejected,
                    head.draft.deduplicationKey.equalsBytewise(key), head.draft.account.equalsBytewise(draft.account)
                else { continue }
                return head
            } catch StoreError.damaged {
                // A damaged entry is never sent, and so is no duplicate.
            }
        }
        return nil
    }

    mutating func addDeduplication(of draft: OutboxDraft) throws {
        guard let hash = draft.deduplicationHash else { return }
        try put(try deduplicatedEntries(hash).filter { $0 != draft.id } + [draft.id], hash)
    }

    mutating func removeDeduplication(of draft: OutboxDraft) throws {
        if let hash = draft.deduplicationHash { try removeDeduplication(of: draft.id, hash) }
    }

    mutating func removeDeduplication(of id: UUIDBytes, _ hash: UInt64) throws {
        let known = try deduplicatedEntries(hash)
        if known.contains(id) { try put(known.filter { $0 != id }, hash) }
    }

    private mutating func put(_ entries: [UUIDBytes], _ hash: UInt64) throws {
        let key = try Self.outboxKey(.deduplication(hash: hash))
        if entries.isEmpty {
            try remove(key: key, in: .outbox)
        } else {
            try put(body: OutboxDeduplicationRecord(entries).encode(), key: key, in: .outbox)
        }
    }

    /// Returns the entries whose deduplication keys may have a hash.
    private borrowing func deduplicatedEntries(_ hash: UInt64) throws -> [UUIDBytes] {
        do {
            return try tables.outboxRecord(.deduplication(hash: hash), in: engine, as: OutboxDeduplicationRecord.self)?
                .entries
                ?? []
        } catch StoreError.damaged {
            // The next record that is stored replaces the damaged one.
            return try readableOutboxHeads().filter {
                $0.delivery.state != .rejected && $0.draft.deduplicationHash == hash
            }.map(\.id)
        }
    }
}
