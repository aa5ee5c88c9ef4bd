// The services that stores are opened with: a clock that stands still, short waits, identifiers of a seed, and no log.

import LarderFormat
import LarderStore
import Logging
import Synchronization

extension HostServices {
    /// Services of several processes: the system's clock, and identifiers of a seed that is a process's own.
    static func running(_ seed: UInt64) -> HostServices {
        var host = HostServices.repeating(seed)
        host.elapsed = { ContinuousClock.Instant.now - Self.start }
        host.sleepUntil = { deadline in try await Task.sleep(for: deadline - (ContinuousClock.Instant.now - Self.start))
        }
        return host
    }

    private static let start = ContinuousClock.Instant.now

    /// Services that repeat themselves with the seed.
    static func repeating(_ seed: UInt64 = 1) -> HostServices {
        let random = Mutex(SplitMix64(seed: seed))
        return HostServices(
            now: { 1_700_000_000_000 }, elapsed: { .zero },
            sleepUntil: { _ in try await Task.sleep(for: .milliseconds(1)) },
            makeID: {
                random.withLock { random in UUIDBytes(high: random.next(), low: random.next()) }
            },
            logger: Logger(label: "evidence", factory: { _ in SwiftLogNoOpLogHandler() }))
    }
}
