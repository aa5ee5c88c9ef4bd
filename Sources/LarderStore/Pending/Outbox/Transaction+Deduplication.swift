package import LarderFormat

// The entries with a deduplication key: one record for each hash of a key, so that an enqueue reads no other entry.
extension Transaction {
    /// Returns the entry of the same account with the same deduplication key that is not rejected, without body and
    /// header fields.
    ///
    /// - Throws: ``EngineError``.
    package borrowing func outboxHead(duplicatedBy draft: OutboxDraft) throws -> OutboxEntry? {
        guard let key = draft.deduplicationKey, let hash = draft.deduplicationHash else { return nil }
        for id in try deduplicated(hash) {
            do {
                guard let head = try outboxHead(id), head.delivery.state != .rejected,
                    head.draft.deduplicationKey.isBytewise(key), head.draft.account.isBytewise(draft.account)
                else { continue }
                return head
            } catch StoreError.damaged {
                // A damaged entry is never sent, and so is no duplicate.
            }
        }
        return nil
    }

    mutating func noteDeduplication(of draft: OutboxDraft) throws {
        guard let hash = draft.deduplicationHash else { return }
        try put(try deduplicated(hash).filter { $0 != draft.id } + [draft.id], hash)
    }

    mutating func forgetDeduplication(of draft: OutboxDraft) throws {
        if let hash = draft.deduplicationHash { try forgetDeduplication(of: draft.id, hash) }
    }

    mutating func forgetDeduplication(of id: UUIDBytes, _ hash: UInt64) throws {
        let known = try deduplicated(hash)
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
    private borrowing func deduplicated(_ hash: UInt64) throws -> [UUIDBytes] {
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
