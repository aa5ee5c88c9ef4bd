internal import LarderEngine

extension Store {
    /// Reads every record of one read view, and reports everything that differs from FORMAT.md.
    ///
    /// Nothing is changed. A damaged record does not hide the others: the check continues behind it. Verifies every
    /// checksum, key and body, and recomputes what the store keeps: counts, digests, sizes, and the records that belong
    /// to each other. Holds the read view throughout, so pages freed meanwhile are not reused. Blocks.
    ///
    /// - Parameters:
    ///   - progress: receives the number of records read so far and their total, from time to time.
    ///   - report: receives each finding as it is found.
    /// - Throws: the errors of `progress` and `report`, which end the check; `EngineError` when the store is closed
    ///   or no reader slot is left.
    /// - Complexity: reads the whole store; memory for each resource, generation and filter, and for the row names of
    ///   one collection; not for rows.
    public func verify(
        progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }, _ report: (Finding) throws -> Void
    ) throws -> VerifySummary {
        try withoutActuallyEscaping(progress) { progress in
            try withoutActuallyEscaping(report) { report in
                let verifier = Verifier(tables: tables, progress: progress, report: report)
                do {
                    try read { view in try verifier.run(view.transaction) }
                } catch let stop as Verifier.CallbackError {
                    throw stop.cause
                }
                return verifier.summary
            }
        }
    }
}

/// The figures of one ``Store/verify(progress:_:)``.
public struct VerifySummary: Hashable, Sendable {
    /// Records read, in all tables.
    public internal(set) var entries = 0
    /// Bytes of their keys and values.
    public internal(set) var bytes: Int64 = 0
    /// Generations known or found among the rows.
    public internal(set) var generations = 0
    /// Findings reported.
    public internal(set) var findings = 0
}
