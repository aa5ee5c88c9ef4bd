internal import LarderEngine
public import LarderFormat

extension ReadView {
    /// What was evicted, the oldest first, as far as the journal goes back: it keeps its newest thousand records.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``.
    public borrowing func evictions() throws -> [Eviction] {
        try tables.journal(in: transaction) { if case .evicted(let eviction) = $0 { eviction } else { nil } }
    }
}
