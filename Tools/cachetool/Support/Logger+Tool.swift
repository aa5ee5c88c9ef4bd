import Logging

extension Logger {
    /// Warnings, on standard error: standard output is for data.
    static var tool: Logger { tool(redacted: false) }

    /// The same; where `redacted`, without the values beside a message, which may hold names and addresses.
    static func tool(redacted: Bool) -> Logger {
        Logger(label: "cachetool") { _ in TerminalLogHandler(isRedacted: redacted) }
    }
}

/// Says what is logged through ``Terminal``: metadata may hold what a server sent.
private struct TerminalLogHandler: LogHandler {
    let isRedacted: Bool
    var logLevel = Logger.Level.warning
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let values = isRedacted ? [:] : metadata.merging(event.metadata ?? [:]) { $1 }
        let words = values.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
        Terminal.say("\(event.level): \(event.message)" + words.joined())
    }
}
