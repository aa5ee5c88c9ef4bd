/// The limits of a query.
public struct QueryOptions: Hashable, Sendable {
    /// The number of rows read in a scan of one table at which a warning is logged.
    public var scanWarning: Int
    /// The most steps of SQLite's virtual machine, counted to the next thousand; nil: no limit. A step is a comparison,
    /// the reading of a value or the like: a scan of a million rows takes some ten million. A query that would need
    /// more fails with ``QueryError/interrupted(_:)``.
    public var stepLimit: Int?
    /// The most bytes of one value or row of a result, 1000 to 2^30.
    public var valueLimit: Int

    /// Limits: a warning from 10,000 rows on, a thousand million steps, values up to 64 MiB.
    public init(scanWarning: Int = 10_000, stepLimit: Int? = 1_000_000_000, valueLimit: Int = 64 << 20) {
        precondition((1000...1 << 30).contains(valueLimit), "a limit of \(valueLimit) bytes")
        self.scanWarning = scanWarning
        self.stepLimit = stepLimit
        self.valueLimit = valueLimit
    }
}
