public import CoreMetrics
public import LarderFormat
public import Logging
public import Tracing

/// The services that the app supplies to the store: time, random identifiers, a logger, metrics and a tracer.
///
/// The store uses no others, so that a test controls all of them. Defaults are in the umbrella module.
///
/// ```swift
/// var host = HostServices.system(logger: Logger(label: "org.example.words"))
/// host.now = { noon }  // a test that needs a fixed time
/// let store = try Store.open(at: path, host: host)
/// try store.close()
/// ```
public struct HostServices: Sendable {
    /// The time, in milliseconds since 1970-01-01 UTC.
    public var now: @Sendable () -> Int64
    /// Time that never jumps, from any origin.
    public var elapsed: @Sendable () -> Duration
    /// Waits until ``elapsed`` reaches a deadline; returns at once when it has. Throws `CancellationError` as soon as
    /// the task is cancelled.
    public var sleepUntil: @Sendable (Duration) async throws -> Void
    /// A new random identifier (RFC 9562, version 4).
    public var makeID: @Sendable () -> UUIDBytes
    /// The logger that the store reports to. Control and format characters of messages and their metadata are escaped,
    /// because both may contain text of servers.
    public var logger: Logger {
        get { escapingLogger }
        set { escapingLogger = newValue.escaping() }
    }

    /// Makes the metrics that docs/metrics.md lists.
    public var metrics: any MetricsFactory = NOOPMetricsHandler.instance { didSet { noteReceivers() } }
    /// Makes a span for each sync, fetch and send.
    public var tracer: any Tracer = NoOpTracer() { didSet { noteReceivers() } }
    /// Whether something receives the metrics or the spans; stored, because finding out costs as much as a lookup.
    package private(set) var isMeasured = false

    private var escapingLogger: Logger

    /// A host of the given parts, without metrics and spans.
    public init(
        now: @escaping @Sendable () -> Int64, elapsed: @escaping @Sendable () -> Duration,
        sleepUntil: @escaping @Sendable (Duration) async throws -> Void, makeID: @escaping @Sendable () -> UUIDBytes,
        logger: Logger
    ) {
        self.now = now
        self.elapsed = elapsed
        self.sleepUntil = sleepUntil
        self.makeID = makeID
        escapingLogger = logger.escaping()
    }

    private mutating func noteReceivers() {
        isMeasured = !(metrics is NOOPMetricsHandler) || !(tracer is NoOpTracer)
    }

    /// Waits for a duration from now on.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(_ duration: Duration) async throws {
        try await sleepUntil(elapsed() + duration)
    }
}
