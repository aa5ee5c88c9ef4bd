/// The salvage that an open has made, because the file was damaged.
///
/// ```swift
/// if let recovery = cache.store.recovery {
///     print(recovery.cause, recovery.report.lostWrites)  // only this device had these
/// }
/// ```
public struct StoreRecovery: Hashable, Sendable {
    /// The error that the open would have thrown.
    public let cause: String
    /// The records and writes that were saved, and those that are lost.
    public let report: SalvageReport
}
