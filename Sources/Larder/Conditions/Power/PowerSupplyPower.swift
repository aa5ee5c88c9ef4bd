#if os(Linux)
private import Dispatch
public import LarderTransport

/// The power of a Linux machine, read at intervals from `/sys/class/power_supply`.
///
/// Without a battery it is normal. Linux reports no low power mode, so it never counts.
///
/// ```swift
/// var services = CacheServices.system(transport)
/// services.power = PowerSupplyPower(every: .seconds(300), saverBelow: 0.3)  // saves power below 30 %
/// ```
public struct PowerSupplyPower: PowerSource {
    private let supplies: PowerSupplies
    private let interval: Duration
    private let clock: any Clock<Duration>
    private let saverThreshold: Double
    private let criticalThreshold: Double
    /// The queue that reads the files, because a slow battery would block the threads of Swift's tasks.
    private let queue = DispatchQueue(label: "larder.power")

    /// Creates a source that uses no resources until ``states()`` is called.
    ///
    /// - Parameters:
    ///   - root: The folder that contains one folder for each supply.
    ///   - interval: The time between two readings; positive.
    ///   - clock: Measures the interval.
    ///   - saverThreshold: As in `PowerReading.state(saverBelow:criticalBelow:)`.
    ///   - criticalThreshold: As in `PowerReading.state(saverBelow:criticalBelow:)`.
    public init(
        root: String = "/sys/class/power_supply", every interval: Duration = .seconds(60),
        clock: any Clock<Duration> = ContinuousClock(), saverBelow saverThreshold: Double = PowerReading.saverThreshold,
        criticalBelow criticalThreshold: Double = PowerReading.criticalThreshold
    ) {
        precondition(interval > .zero, "an interval of \(interval)")
        supplies = PowerSupplies(root: root)
        self.interval = interval
        self.clock = clock
        self.saverThreshold = saverThreshold
        self.criticalThreshold = criticalThreshold
    }

    /// Returns a stream of the current state and each change. It holds a task that mostly sleeps until it is cancelled
    /// or released.
    public func states() -> AsyncStream<PowerState> {
        let (stream, relay) = StateRelay<PowerState>.makeStream()
        let watching = Task {
            while !Task.isCancelled {
                relay.send(await state())
                do { try await clock.sleep(for: interval) } catch { break }
            }
            relay.finish()
        }
        relay.onEnd { watching.cancel() }
        return stream
    }

    private func state() async -> PowerState {
        await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(
                    returning: supplies.reading().state(saverBelow: saverThreshold, criticalBelow: criticalThreshold))
            }
        }
    }
}
#endif
