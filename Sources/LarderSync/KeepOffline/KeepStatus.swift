/// The progress of keeping a resource offline.
public enum KeepStatus: Sendable {
    /// The expected size; reported first.
    case estimated(KeepEstimate)
    /// Its snapshot is arriving; `bytes` counts the bytes on the wire, `totalBytes` is their number where the server
    /// stated it.
    case fetching(rows: Int, bytes: Int, totalBytes: Int?)
    /// It is complete and stays, with the number of its rows and the bytes of their keys and values; reported last.
    case kept(rows: Int, bytes: Int64)
    /// It is not kept; reported last.
    case failed(KeepError)
}
