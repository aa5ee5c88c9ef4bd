#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The limit and the clock of a wait for a lock that another program holds.
///
/// Every process that may read the directory can acquire a `flock` lock, and hold it for ever.
struct LockWait: Sendable {
    /// The longest wait.
    var limit: Duration
    /// The reading of a clock that never runs backwards.
    var now: @Sendable () -> Duration = { start.duration(to: .now) }
    /// Blocks the thread for approximately this time.
    var pause: @Sendable (Duration) -> Void = { duration in
        var time = timespec()
        time.tv_sec = Int(duration.components.seconds)
        time.tv_nsec = Int(duration.components.attoseconds / 1_000_000_000)
        unsafe nanosleep(&time, nil)
    }

    private static let start = ContinuousClock.now
    private static let longestPause = Duration.milliseconds(10)

    /// The wait with the default of ``EnvironmentOptions/lockTimeout``.
    static let standard = LockWait(limit: EnvironmentOptions.defaultLockTimeout)

    /// Acquires the lock of an open file.
    ///
    /// - Throws: ``EngineError/lockedElsewhere(name:seconds:)`` with `name` when the lock was not free in time.
    func lock(_ file: FileDescriptor, exclusive: Bool, name: String) throws(EngineError) {
        let began = now()
        var length = Duration.microseconds(100)
        while try !file.lock(exclusive: exclusive, waits: false) {
            let waited = now() - began
            if waited >= limit { throw .lockedElsewhere(name: name, seconds: Int(waited.components.seconds)) }
            pause(length)
            length = min(length * 2, Self.longestPause)
        }
    }
}
