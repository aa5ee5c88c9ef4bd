/// The progress of keeping a resource offline.
///
/// ```swift
/// for await status in coordinator.keeping(ResourceKey("translations", 19)) {
///     switch status {
///     case .estimated(let estimate): print(estimate.bytes ?? 0, "bytes, as far as known")
///     case .fetching(let rows, _, _): print(rows, "rows so far")
///     case .completed(let rows, _): print(rows, "rows, which are never evicted")
///     case .failed(let error): print(error)
///     }
/// }
/// ```
public enum KeepStatus: Sendable {
    /// The expected size; reported first.
    case estimated(KeepEstimate)
    /// Its snapshot is arriving; `bytes` counts the bytes on the wire, `totalBytes` is their number where the server
    /// stated it.
    case fetching(rows: Int, bytes: Int, totalBytes: Int?)
    /// It is complete and stays, with the number of its rows and the bytes of their keys and values; reported last.
    case completed(rows: Int, bytes: Int64)
    /// It is not kept; reported last.
    case failed(KeepError)
}
