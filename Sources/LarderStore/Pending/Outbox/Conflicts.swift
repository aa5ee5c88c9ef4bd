internal import LarderEngine
public import LarderFormat

extension Transaction {
    /// Journals how a conflict was settled.
    ///
    /// The commit is fully durable, whatever durability the write asked for.
    package mutating func note(_ conflict: SettledConflict) throws {
        writer.requireFullDurability()
        try note(JournalRecord(time: conflict.time, event: .conflict(conflict)))
    }
}

extension StoreReader where Self: ~Copyable & ~Escapable {
    /// The conflicts that were settled, the oldest first, as far as the journal goes back: it keeps its newest thousand
    /// records.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``.
    public borrowing func conflicts() throws -> [SettledConflict] {
        try tables.journal(in: engine) { if case .conflict(let conflict) = $0 { conflict } else { nil } }
    }
}
