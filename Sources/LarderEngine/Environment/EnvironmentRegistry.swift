internal import Synchronization

/// The environments this process has open, by device and inode of the data file.
///
/// Opening a file twice in one process and closing either drops the process's POSIX locks for both; another process
/// then takes its live readers for gone and overwrites their snapshots.
@safe
final class EnvironmentRegistry: @unchecked Sendable {
    // Sendable: the dictionary is touched under the monitor only.
    static let shared = EnvironmentRegistry()

    private let monitor = Monitor()
    private var environments: [FileIdentity: Environment] = [:]

    /// What an open finds.
    enum Found {
        case none
        /// Open, and now open once more.
        case open(Environment)
        /// Being closed; see ``waitUntilClosed(_:)``.
        case closing
    }

    func find(_ identity: FileIdentity, options: EnvironmentOptions) throws(EngineError) -> Found {
        var isMismatch = false
        var isHalfClosed = false
        let found = monitor.locked { () -> Found in
            guard let environment = environments[identity], !environment.isForked else { return .none }
            if environment.openCount == 0 { return .closing }
            if !environment.options.isCompatible(with: options) {
                isMismatch = true
                return .none
            }
            if environment.hasStoppedWriting.load(ordering: .acquiring) {
                isHalfClosed = true
                return .none
            }
            environment.openCount += 1
            return .open(environment)
        }
        // A close that waits for readers: it can be tried again, but nothing new can begin.
        if isHalfClosed { throw .busy }
        if isMismatch { throw .openWithOtherOptions }
        return found
    }

    /// Whether this process has an environment open that holds this `guard.lock`.
    func holdsGuard(_ guardFile: FileIdentity) -> Bool {
        monitor.locked { environments.values.contains { (try? $0.guardFile.file.identity().file) == guardFile } }
    }

    func waitUntilClosed(_ identity: FileIdentity) {
        monitor.locked {
            while let environment = environments[identity], environment.openCount == 0 { monitor.wait() }
        }
    }

    func insert(_ environment: Environment) {
        monitor.locked { environments[environment.identity] = environment }
    }

    /// Counts one close. True when it was the last, and the caller has to close for good.
    func release(_ environment: Environment) throws(EngineError) -> Bool {
        let remaining = monitor.locked { () -> Int? in
            if environment.openCount == 0 { return nil }
            environment.openCount -= 1
            return environment.openCount
        }
        guard let remaining else { throw .closed }
        return remaining == 0
    }

    /// Takes a close back that could not be finished.
    func restore(_ environment: Environment) {
        monitor.locked {
            environment.openCount += 1
            monitor.signalAll()
        }
    }

    func remove(_ environment: Environment) {
        monitor.locked {
            if environments[environment.identity] === environment { environments[environment.identity] = nil }
            monitor.signalAll()
        }
    }
}

extension EnvironmentOptions {
    /// Whether one open environment can serve both: how it came to exist does not matter any more.
    func isCompatible(with other: EnvironmentOptions) -> Bool {
        var (left, right) = (self, other)
        if left.access == .readWriteExisting { left.access = .readWrite }
        if right.access == .readWriteExisting { right.access = .readWrite }
        left.lockTimeout = right.lockTimeout
        return left == right
    }
}
