// LogMessages: collects logged messages for comparison.

import Logging
import Synchronization

/// Keeps what is logged.
final class LogMessages: Sendable {
    private let messages = Mutex<[String]>([])

    var all: [String] { messages.withLock { $0 } }

    var logger: Logger { Logger(label: "test") { _ in Handler(messages: self) } }

    fileprivate func add(_ message: String) { messages.withLock { $0.append(message) } }

    private struct Handler: LogHandler {
        let messages: LogMessages
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.warning

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { messages.add("\(event.message)") }
    }
}
