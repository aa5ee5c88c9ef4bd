#if Postgres
internal import Metrics

/// What a pool reports to the metrics system of the process; docs/operations.md, "Metrics", explains the names.
struct PoolMetrics: Sendable {
    /// The callers that wait for a connection.
    let waiting: Gauge
    /// The callers that waited for too long.
    let exhausted: Counter
    /// The transactions that were run again after a conflict with another one.
    let conflicts: Counter
    /// The connections that were lost, or led to a server that only reads.
    let lost: Counter

    init(_ factory: any MetricsFactory) {
        waiting = Gauge(label: "larder_postgres_waiting", factory: factory)
        exhausted = Counter(label: "larder_postgres_exhausted_total", factory: factory)
        conflicts = Counter(label: "larder_postgres_conflicts_total", factory: factory)
        lost = Counter(label: "larder_postgres_connections_lost_total", factory: factory)
    }
}
#endif
