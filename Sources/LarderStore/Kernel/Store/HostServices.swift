public import LarderFormat
public import Logging

/// What the program around the store supplies: time, chance and a place for log lines.
///
/// Nothing here is ambient, so that a test decides all of it. Defaults live in the umbrella module.
public struct HostServices: Sendable {
    /// Milliseconds since 1970-01-01 UTC.
    public var now: @Sendable () -> Int64
    /// Time that never jumps, from any origin.
    public var elapsed: @Sendable () -> Duration
    /// Waits until ``elapsed`` reaches a deadline, not at all when it has; throws `CancellationError` as soon as the task
    /// is cancelled.
    public var sleepUntil: @Sendable (Duration) async throws -> Void
    /// A new random identifier (RFC 9562, version 4).
    public var makeID: @Sendable () -> UUIDBytes
    /// Where the store tells what it did.
    public var logger: Logger

    /// A host of the given parts.
    public init(
        now: @escaping @Sendable () -> Int64, elapsed: @escaping @Sendable () -> Duration,
        sleepUntil: @escaping @Sendable (Duration) async throws -> Void, makeID: @escaping @Sendable () -> UUIDBytes,
        logger: Logger
    ) {
        self.now = now
        self.elapsed = elapsed
        self.sleepUntil = sleepUntil
        self.makeID = makeID
        self.logger = logger
    }

    /// Waits for a time from now on, or throws `CancellationError` as soon as the task is cancelled.
    public func sleep(_ duration: Duration) async throws {
        try await sleepUntil(elapsed() + duration)
    }
}
