#if Postgres
internal import Dispatch
public import Logging
public import Metrics
internal import Synchronization
public import Tracing

/// Connections to one database, each for one caller at a time.
///
/// ```swift
/// let pool = PostgresPool(PostgresConfiguration("host=db.example user=shop dbname=shop sslmode=verify-full"))
/// let count = try await pool.transaction { transaction in
///     try transaction.query("SELECT count(*) FROM visits WHERE account = $1", ["ada"])[0].integer(0)
/// }
/// pool.close()
/// ```
///
/// A connection is made when it is needed, and made again when it was lost. No caller's thread blocks: each connection has
/// a queue of its own.
public final class PostgresPool: Sendable {
    /// The work of a caller on a connection.
    private struct Job {
        let ticket: UInt64
        let run: @Sendable (Connection) -> Void
        let fail: @Sendable (any Error) -> Void
    }

    private struct State {
        var idle: [Connection] = []
        var count = 0
        /// The jobs that wait for a connection, the first one first.
        var waiting: [Job] = []
        var lastTicket: UInt64 = 0
        var isClosed = false
    }

    private let configuration: PostgresConfiguration
    private let state = Mutex(State())
    let metrics: PoolMetrics
    let logger: Logger
    private let tracer: (any Tracer)?

    /// Creates a pool, which connects when it is used.
    ///
    /// - Parameters:
    ///   - configuration: The database, and the limits of the pool.
    ///   - logger: Receives what an operator may have to know, as lost connections; by default nothing is logged.
    ///   - metrics: Makes the metrics that docs/operations.md lists; by default those of the process.
    ///   - tracer: Makes a span `larder.postgres.transaction` for each transaction, its wait for a connection included; by
    ///     default the one of the process.
    public init(
        _ configuration: PostgresConfiguration,
        logger: Logger = Logger(label: "larder.postgres", factory: { _ in SwiftLogNoOpLogHandler() }),
        metrics: any MetricsFactory = MetricsSystem.factory, tracer: (any Tracer)? = nil
    ) {
        self.logger = logger
        self.metrics = PoolMetrics(metrics)
        self.tracer = tracer
        precondition(configuration.connections >= 1, "a pool needs a connection")
        precondition(configuration.statementLimit >= 1, "a statement needs some time")
        self.configuration = configuration
    }

    /// Closes the connections when their callers have ended; callers that wait for one fail. Returns at once.
    public func close() {
        let (idle, waiting) = state.withLock { state in
            state.isClosed = true
            defer { (state.idle, state.waiting) = ([], []) }
            return (state.idle, state.waiting)
        }
        for connection in idle { connection.queue.async { connection.disconnect() } }
        for job in waiting { job.fail(PostgresError.closed) }
    }

    /// Runs `body` on the thread of a connection, which is open then; `body` may leave a transaction open.
    ///
    /// Work that has begun is not cancelled: a server that waits for its standby would then report a commit without it.
    ///
    /// - Throws: ``PostgresError/poolExhausted``, ``PostgresError/closed``, ``PostgresError/unavailable(_:)``;
    ///   `CancellationError` before `body` has begun; the errors of `body`.
    func withConnection<Value: Sendable>(_ body: @escaping @Sendable (Connection) throws -> Value) async throws -> Value
    {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        let tracer = tracer ?? InstrumentationSystem.tracer
        return try await tracer.withAnySpan("larder.postgres.transaction", ofKind: .client) { _ in
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    submit(
                        Job(ticket: ticket) { connection in
                            continuation.resume(
                                with: Result {
                                    try connection.open()
                                    return try body(connection)
                                })
                        } fail: { error in
                            continuation.resume(throwing: error)
                        })
                }
            } onCancel: {
                fail(ticket, CancellationError())
            }
        }
    }

    private func submit(_ job: Job) {
        let (connection, failure) = state.withLock { state -> (Connection?, (any Error)?) in
            if state.isClosed { return (nil, PostgresError.closed) }
            if Task.isCancelled { return (nil, CancellationError()) }
            if let idle = state.idle.popLast() { return (idle, nil) }
            if state.count < configuration.connections {
                state.count += 1
                return (Connection(configuration, metrics, logger), nil)
            }
            state.waiting.append(job)
            metrics.waiting.record(state.waiting.count)
            return (nil, nil)
        }
        if let failure { return job.fail(failure) }
        if let connection { return start(job, on: connection) }
        Task { [patience = configuration.patience, ticket = job.ticket] in
            try await Task.sleep(for: patience)
            fail(ticket, PostgresError.poolExhausted)
        }
    }

    private func start(_ job: Job, on connection: Connection) {
        connection.queue.async {
            job.run(connection)
            connection.reset()
            self.pass(on: connection)
        }
    }

    /// Starts the next job on a connection, on its queue.
    private func pass(on connection: Connection) {
        let next = state.withLock { state -> Job? in
            if !state.waiting.isEmpty {
                defer { metrics.waiting.record(state.waiting.count) }
                return state.waiting.removeFirst()
            }
            if !state.isClosed { state.idle.append(connection) }
            return nil
        }
        if let next { start(next, on: connection) }
    }

    /// Fails a job that still waits.
    private func fail(_ ticket: UInt64, _ error: any Error) {
        let job = state.withLock { state in
            state.waiting.firstIndex { $0.ticket == ticket }.map { state.waiting.remove(at: $0) }
        }
        if job != nil, error as? PostgresError == .poolExhausted { metrics.exhausted.increment() }
        job?.fail(error)
    }
}
#endif
