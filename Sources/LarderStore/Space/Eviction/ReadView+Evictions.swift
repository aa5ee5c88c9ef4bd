internal import LarderEngine
public import LarderFormat

extension ReadView {
    /// The evictions, the oldest first, as far as the journal goes back: it keeps its newest thousand records.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)`` for a damaged record of the journal; `EngineError`.
    public borrowing func evictions() throws -> [Eviction] {
        try tables.journal(in: transaction) { if case .evicted(let eviction) = $0 { eviction } else { nil } }
    }
}
