internal import LarderFormat
public import LarderStore
internal import Logging
internal import Synchronization

extension HostServices {
    /// Returns a host with the time of a virtual clock and random numbers from a seed, which logs errors only.
    public static func virtual(_ clock: VirtualClock, seed: UInt64 = 1) -> HostServices {
        let start = clock.now
        let generator = Mutex(SeededGenerator(seed: seed))
        var logger = Logger(label: "larder.virtual")
        logger.logLevel = .error
        return HostServices(
            now: { clock.wallMilliseconds }, elapsed: { start.duration(to: clock.now) },
            sleepUntil: { try await clock.sleep(until: start.advanced(by: $0)) },
            makeID: { generator.withLock { UUIDBytes.random(using: &$0) } },
            logger: logger)
    }
}
