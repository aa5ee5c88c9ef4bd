/// How a filter's last run went, as it is stored with it.
package struct AttemptNote: Hashable, Sendable {
    /// When the last one began, in milliseconds since 1970-01-01 UTC.
    package var attemptedAt: Int64?
    /// The runs that failed in a row.
    package var failures: Int
    /// Why the last one failed, without content.
    package var lastError: String?
    /// When the next one is meant to begin, in milliseconds since 1970-01-01 UTC.
    package var nextAttemptAt: Int64?
}
