// HostServices for benchmarks, and the clocks that measure them.

import Foundation
import LarderFormat
import LarderStore
import Logging

extension HostServices {
    /// The machine's clock, its random source, and no log below errors.
    static func benchmark(elapsed: @escaping @Sendable () -> Duration = { sinceStart() }) -> HostServices {
        var logger = Logger(label: "larder.bench")
        logger.logLevel = .error
        return HostServices(
            now: { TranslationRows.updatedAt }, elapsed: elapsed,
            sleepUntil: { try await Task.sleep(for: $0 - elapsed()) },
            makeID: {
                var generator = SystemRandomNumberGenerator()
                return UUIDBytes.random(using: &generator)
            }, logger: logger)
    }
}

/// Time since the program began.
func sinceStart() -> Duration { start.duration(to: .now) }

/// Time that the calling thread has run on a processor.
func processorTimeOfThread() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

private let start = ContinuousClock.now

extension Duration {
    var nanoseconds: Double { Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9 }
    var milliseconds: Double { nanoseconds / 1e6 }
}
