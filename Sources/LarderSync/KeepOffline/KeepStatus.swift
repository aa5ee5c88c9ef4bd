/// How far keeping a resource offline is.
public enum KeepStatus: Sendable {
    /// What it is expected to take; the first that is told.
    case estimated(KeepEstimate)
    /// Its full copy is arriving; `bytes` as they came over the wire, `totalBytes` where the server said how many.
    case fetching(rows: Int, bytes: Int, totalBytes: Int?)
    /// All of it is here, and stays: so many rows, and bytes of their keys and values. The last that is told.
    case kept(rows: Int, bytes: Int64)
    /// It is not kept. The last that is told.
    case failed(KeepError)
}
