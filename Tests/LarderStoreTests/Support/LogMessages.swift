// LogMessages: collects logged messages for comparison.

import Logging
import Synchronization

/// Keeps what is logged.
final class LogMessages: Sendable {
    private let messages = Mutex<[(text: String, metadata: Logger.Metadata)]>([])

    var all: [String] { messages.withLock { $0.map(\.text) } }

    /// Every message with its metadata.
    var lines: [String] {
        messages.withLock { messages in
            messages.map { message in
                message.text + message.metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
            }
        }
    }

    var logger: Logger { Logger(label: "test") { _ in Handler(messages: self) } }

    fileprivate func add(_ event: LogEvent) {
        messages.withLock { $0.append(("\(event.message)", event.metadata ?? [:])) }
    }

    private struct Handler: LogHandler {
        let messages: LogMessages
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.warning

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { messages.add(event) }
    }
}
