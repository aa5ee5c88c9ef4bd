internal import LarderEngine
internal import LarderFormat

extension ReadView {
    /// What was evicted, the oldest first, as far as the journal goes back: it keeps its newest thousand records.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``.
    public borrowing func evictions() throws -> [Eviction] {
        var found: [Eviction] = []
        try tables.forEach(.journal, prefix: [], in: transaction) { _, body in
            let record = try decoding(.journal) { () throws(FormatError) in try JournalRecord(decoding: body) }
            if case .evicted(let evicted) = record.event, let eviction = Eviction(evicted, time: record.time) {
                found.append(eviction)
            }
            return true
        }
        return found
    }
}
