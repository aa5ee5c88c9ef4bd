internal import Synchronization

/// The environments that this process has open, by device and inode of the data file.
///
/// Opening a file twice in one process and closing either drops the process's POSIX locks for both. Another process
/// then considers its live readers dead and overwrites their read views.
@safe
final class EnvironmentRegistry: @unchecked Sendable {
    // Sendable: the dictionary is used under the monitor only.
    static let shared = EnvironmentRegistry()

    private let monitor = Monitor()
    private var environments: [FileIdentity: Environment] = [:]

    /// The result of a search for an open environment.
    enum Found {
        case none
        /// The environment is open, and now open once more.
        case open(Environment)
        /// The environment is being closed; see ``waitUntilClosed(_:)``.
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
        // A close waits for readers: it can be tried again, but nothing new can begin.
        if isHalfClosed { throw .busy }
        if isMismatch { throw .openWithOtherOptions }
        return found
    }

    /// Whether this process has an environment open that holds this `guard.lock`.
    func holdsGuard(_ guardFile: FileIdentity) -> Bool {
        monitor.locked { environments.values.contains { (try? $0.guardFile?.file.identity().file) == guardFile } }
    }

    func waitUntilClosed(_ identity: FileIdentity) {
        monitor.locked {
            while let environment = environments[identity], environment.openCount == 0 { monitor.wait() }
        }
    }

    func insert(_ environment: Environment) {
        monitor.locked { environments[environment.identity] = environment }
    }

    /// Counts one close; returns true when it was the last, and the caller must close the environment.
    func release(_ environment: Environment) throws(EngineError) -> Bool {
        let remaining = monitor.locked { () -> Int? in
            if environment.openCount == 0 { return nil }
            environment.openCount -= 1
            return environment.openCount
        }
        guard let remaining else { throw .closed }
        return remaining == 0
    }

    /// Reverts a close that could not be finished.
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
    /// Whether one open environment can serve both; the way it was created and the lock timeout do not matter.
    func isCompatible(with other: EnvironmentOptions) -> Bool {
        var (left, right) = (self, other)
        if left.access == .readWriteExisting { left.access = .readWrite }
        if right.access == .readWriteExisting { right.access = .readWrite }
        left.lockTimeout = right.lockTimeout
        return left == right
    }
}
