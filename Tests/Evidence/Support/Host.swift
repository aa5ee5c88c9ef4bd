// The services that stores are opened with: a clock that stands still, short waits, identifiers of a seed, and no log.

import LarderFormat
import LarderStore
import Logging
import Synchronization

extension HostServices {
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
