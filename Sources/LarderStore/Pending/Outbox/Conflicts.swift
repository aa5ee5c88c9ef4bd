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
        var conflicts: [SettledConflict] = []
        try tables.forEach(.journal, prefix: [], in: engine) { _, body in
            let record = try decoding(.journal) { () throws(FormatError) in try JournalRecord(decoding: body) }
            if case .conflict(let conflict) = record.event { conflicts.append(conflict) }
            return true
        }
        return conflicts
    }
}
