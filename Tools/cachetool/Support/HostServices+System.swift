import Foundation
import LarderFormat
import LarderStore
import Logging

extension HostServices {
    /// The system's clocks and chance, and a logger that warns on standard error.
    static func system() -> HostServices {
        let start = ContinuousClock.now
        var logger = Logger(label: "cachetool") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning
        return HostServices(
            now: { Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)) },
            elapsed: { start.duration(to: .now) },
            makeID: {
                var generator = SystemRandomNumberGenerator()
                return UUIDBytes.random(using: &generator)
            }, logger: logger)
    }
}
