internal import LarderFormat
internal import Logging

/// Escapes control and format characters of messages and their metadata, and passes them on to another handler.
///
/// Names, errors and reasons contain text of servers, in which a line break would forge a message of the log.
struct EscapingLogHandler: LogHandler {
    private var base: any LogHandler

    init(_ base: any LogHandler) { self.base = base }

    var logLevel: Logger.Level {
        get { base.logLevel }
        set { base.logLevel = newValue }
    }

    var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue }
    }

    var metadataProvider: Logger.MetadataProvider? {
        get { base.metadataProvider }
        set { base.metadataProvider = newValue }
    }

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { base[metadataKey: key] }
        set { base[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        var escaped = event
        escaped.message = "\(event.message.description.escaped())"
        escaped.metadata = event.metadata?.mapValues { $0.escaped() }
        base.log(event: escaped)
    }
}

extension Logger {
    /// The logger, with a handler that escapes.
    func escaping() -> Logger {
        if handler is EscapingLogHandler { return self }
        var logger = self
        logger.handler = EscapingLogHandler(handler)
        return logger
    }
}

extension Logger.MetadataValue {
    fileprivate func escaped() -> Logger.MetadataValue {
        switch self {
        case .string(let text): .string(text.escaped())
        case .stringConvertible(let value): .string(value.description.escaped())
        case .dictionary(let values): .dictionary(values.mapValues { $0.escaped() })
        case .array(let values): .array(values.map { $0.escaped() })
        }
    }
}
