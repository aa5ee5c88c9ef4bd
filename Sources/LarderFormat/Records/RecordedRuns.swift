/// Runs of a filter, in a row and with the same result, as its record keeps them.
///
/// FORMAT.md, "filters", element 17.
public struct RecordedRuns: Hashable, Sendable {
    /// When the first of them began, in milliseconds since 1970-01-01 UTC.
    public package(set) var beganAt: Int64
    /// When the last of them ended, in milliseconds since 1970-01-01 UTC.
    public package(set) var endedAt: Int64
    /// The number of runs, above 0.
    public package(set) var count: Int64 = 1
    /// The number of rows that they wrote or deleted.
    public package(set) var rowsWritten: Int64
    /// The reason they failed: one line without content, at most ``Limits/errorText`` bytes; nil when they finished.
    public package(set) var error: String?

    /// Makes an element of the runs of a filter.
    package init(beganAt: Int64, endedAt: Int64, count: Int64 = 1, rowsWritten: Int64 = 0, error: String? = nil) {
        self.beganAt = beganAt
        self.endedAt = endedAt
        self.count = count
        self.rowsWritten = rowsWritten
        self.error = error
    }

    mutating func codeFields(_ coder: inout FieldCoder) {
        coder.integer(&beganAt)
        coder.integer(&endedAt)
        coder.count("runs", &count)
        coder.require(count > 0, "runs", count)
        coder.count("rowsWritten", &rowsWritten)
        coder.text(&error)
    }
}

extension [RecordedRuns] {
    /// Adds a run that ended, to the last element where both have the same result; the oldest beyond
    /// ``Limits/recordedRuns`` are removed.
    package mutating func add(_ run: RecordedRuns) {
        if let last, last.error == run.error, last.rowsWritten == 0, run.rowsWritten == 0, last.count < .max {
            self[count - 1].endedAt = run.endedAt
            self[count - 1].count += 1
        } else {
            append(run)
            removeFirst(Swift.max(0, count - Limits.recordedRuns))
        }
    }
}
