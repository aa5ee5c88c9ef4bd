import Logging

extension Logger {
    /// Warnings, on standard error: standard output is for data.
    static var tool: Logger {
        var logger = Logger(label: "cachetool") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning
        return logger
    }
}
