// Store.openQuietly: opens a store in a test process without log output.

import Larder
import LarderEngine
import LarderStore

extension Store {
    /// Opens a store whose remarks are not for the test's log.
    static func openQuietly(at path: String, access: EnvironmentOptions.Access = .readWriteExisting) throws -> Store {
        var logger = Logger(label: "larder")
        logger.logLevel = .critical
        return try open(at: path, options: StoreOptions(access: access), host: .system(logger: logger))
    }
}
