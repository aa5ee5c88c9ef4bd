internal import LarderEngine
public import LarderFormat

extension Transaction {
    /// Records in the journal how a conflict was resolved.
    ///
    /// The commit is fully durable, whatever durability the write requested.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)`` when the counters are damaged; ``EngineError``.
    package mutating func journalConflict(_ conflict: ResolvedConflict) throws {
        writer.requireFullDurability()
        try appendJournalRecord(JournalRecord(time: conflict.time, event: .conflict(conflict)))
    }
}

extension StoreReader where Self: ~Copyable & ~Escapable {
    /// Returns the resolved conflicts, the oldest first, as far as the journal goes back: it keeps its newest thousand
    /// records.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``.
    public borrowing func conflicts() throws -> [ResolvedConflict] {
        try tables.journal(in: engine) { if case .conflict(let conflict) = $0 { conflict } else { nil } }
    }
}
