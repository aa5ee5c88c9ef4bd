import LarderFormat

/// An error that the tool itself reports.
enum ToolError: Error, Equatable {
    /// A signal requested the end of the tool.
    case interrupted
    /// The reader of the output has closed it.
    case outputClosed
    /// The requested item is not in the store.
    case notFound(String)
    /// A record is damaged; its place and the reason.
    case damagedRecord(place: String, reason: String)
    /// A table has another number of records than it counts.
    case damagedTable(TableName, counted: Int, found: Int)
    /// This many writes are damaged and were left out; those with a readable identity can be dropped.
    case damagedWrites(Int, [UUIDBytes])
    /// These filters have a damaged record and were left out.
    case damagedFilters([String])
    /// A dump is incomplete or invalid.
    case badDump(line: Int, reason: String)
    /// The system reported an error, in words.
    case system(String)
    /// The arguments exclude each other, detected at run time.
    case usage(String)
}

extension ToolError: CustomStringConvertible {
    var description: String {
        switch self {
        case .interrupted: "Interrupted."
        case .outputClosed: "The output was closed."
        case .notFound(let what): what
        case .damagedRecord(let place, let reason):
            "The record \(place) is damaged (\(reason)): run verify, which says what to do."
        case .damagedTable(let table, let counted, let found):
            "The table \(table.rawValue) counts \(counted) records, and \(found) were found: restore the store from a copy."
        case .damagedWrites(let count, let ids):
            "\(count == 1 ? "A damaged write was" : "\(count) damaged writes were") left out: verify prints where."
                + (ids.isEmpty ? "" : " To drop: \(ids.map(\.description).joined(separator: " ")).")
        case .damagedFilters(let filters):
            "Left out, because a record is damaged: \(filters.joined(separator: ", ")). The next sync of the "
                + "filter by an app repairs it; verify prints where it is."
        case .badDump(let line, let reason): "Line \(line) of the dump: \(reason). Nothing was loaded."
        case .system(let text), .usage(let text): text
        }
    }
}
