private import CoreMetrics
private import Foundation
private import LarderFormat
public import LarderStore
public import Logging
private import Tracing

extension HostServices {
    /// Returns the system's clocks and random numbers, a logger labelled `larder`, and the metrics and the tracer of the
    /// process, which are those that were bootstrapped before the call.
    public static func system(logger: Logger = Logger(label: "larder")) -> HostServices {
        let start = ContinuousClock.now
        var host = HostServices(
            now: { Int64(Date().timeIntervalSince1970 * 1000) },
            elapsed: { start.duration(to: .now) },
            sleepUntil: { try await Task.sleep(until: start.advanced(by: $0), clock: .continuous) },
            makeID: {
                var generator = SystemRandomNumberGenerator()
                return UUIDBytes.random(using: &generator)
            },
            logger: logger)
        host.metrics = MetricsSystem.factory
        host.tracer = InstrumentationSystem.tracer
        return host
    }
}

extension Store {
    /// Opens the store in the directory at `path`, with the system's services. The directory is created when it does
    /// not exist.
    ///
    /// - Throws: As `Store.open(at:options:host:)`.
    public static func open(at path: String, options: StoreOptions = StoreOptions()) throws -> Store {
        try open(at: path, options: options, host: .system())
    }
}
