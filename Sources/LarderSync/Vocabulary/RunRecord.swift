/// The outcome of a filter's last run, as stored with the filter.
package struct RunRecord: Hashable, Sendable {
    /// The time at which the last run began, in milliseconds since 1970-01-01 UTC.
    package var lastRunAt: Int64?
    /// The number of runs that failed in a row.
    package var failures: Int
    /// The reason the last run failed, without content.
    package var lastError: String?
    /// The time at which the next run is due, in milliseconds since 1970-01-01 UTC.
    package var nextRunAt: Int64?
}
