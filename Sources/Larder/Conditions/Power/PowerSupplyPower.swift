#if os(Linux)
private import Dispatch
public import LarderTransport

/// The power of a Linux machine, read from time to time from `/sys/class/power_supply`.
///
/// Without a battery it is normal. Low power mode is not known there, so it never counts.
public struct PowerSupplyPower: PowerSource {
    private let supplies: PowerSupplies
    private let interval: Duration
    private let clock: any Clock<Duration>
    private let saverThreshold: Double
    private let criticalThreshold: Double
    /// Files are read here, and not on the threads of Swift's tasks: a battery may take its time.
    private let queue = DispatchQueue(label: "larder.power")

    /// A source that holds nothing until its states are asked for.
    ///
    /// - Parameters:
    ///   - root: the folder that holds one folder for each supply.
    ///   - interval: the time between two readings; positive.
    ///   - clock: counts the interval.
    ///   - saverThreshold: as in ``LarderTransport/PowerReading/state(saverBelow:criticalBelow:)``.
    ///   - criticalThreshold: likewise.
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

    /// The state now, then each change; a task that mostly sleeps, until the stream is cancelled or let go.
    public func states() -> AsyncStream<PowerState> {
        let (stream, relay) = StateRelay<PowerState>.makeStream()
        let watching = Task {
            while !Task.isCancelled {
                relay.tell(await state())
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
