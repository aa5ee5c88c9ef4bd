import Logging

extension Logger {
    /// A logger of warnings on standard error, because standard output is for data.
    static var tool: Logger { tool(redacted: false) }

    /// Returns a logger of warnings; where `redacted`, without the metadata, which may contain names and addresses.
    static func tool(redacted: Bool) -> Logger {
        Logger(label: "cachetool") { _ in TerminalLogHandler(isRedacted: redacted) }
    }
}

/// Prints log messages through ``Terminal``, because metadata may contain text of a server.
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
        Terminal.printMessage("\(event.level): \(event.message)" + words.joined())
    }
}
