private import Synchronization

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// A lock that every process shares while it uses something that another process would otherwise remove.
///
/// It is a `flock` of a file in the store's directory, which the system releases when a process dies.
/// docs/internals/store.md.
package final class UseLock: Sendable {
    private struct State {
        var uses = 0
        /// The open file, from the first use on.
        var file: FileDescriptor?
    }

    private static let attempts = 8

    private let name: String
    private let directory: StoreDirectory
    private let state = Mutex(State())

    /// Creates the lock of the file `name`, which is created with the first use.
    package init(_ name: String, in path: String) {
        self.name = name
        directory = StoreDirectory(path: path)
    }

    /// Shares the lock until ``end()`` was called as often.
    ///
    /// Where the file cannot be created or opened, as on a read-only medium, the lock has no effect.
    package func begin() {
        state.withLock { state in
            state.uses += 1
            if state.uses == 1 { state.file = try? lockShared(state.file) }
        }
    }

    /// Ends a use.
    package func end() {
        state.withLock { state in
            precondition(state.uses > 0, "\(name) is not in use")
            state.uses -= 1
            if state.uses == 0, let file = state.file { flock(file.number, LOCK_UN) }
        }
    }

    /// Whether this process shares the lock through this object.
    package var isInUse: Bool { state.withLock { $0.uses > 0 } }

    /// Whether no process now uses the resource of the lock of the file `name`.
    ///
    /// - Throws: ``EngineError/untrustedFile(name:problem:)`` for a file that is not plainly the store's; others of the
    ///   system.
    package static func isFree(_ name: String, in path: String) throws(EngineError) -> Bool {
        let directory = StoreDirectory(path: path)
        guard try directory.checkFile(named: name) else { return true }
        // The lock is released with the descriptor.
        return try directory.openFile(named: name, O_RDWR).lock(exclusive: true, waits: false)
    }

    /// Returns the file with the shared lock, `known` if that still has the name; nil when the lock could not be
    /// acquired.
    private func lockShared(_ known: FileDescriptor?) throws(EngineError) -> FileDescriptor? {
        var known = known
        // Another process may create, remove or replace the file between two steps.
        for _ in 0..<Self.attempts {
            guard let file = try known == nil ? directory.openOrMakeFile(named: name) : known else { continue }
            known = nil
            if try !file.lock(exclusive: false, waits: false) {
                // A process that checks whether it is free holds it briefly.
                usleep(500)
                continue
            }
            let identity = try file.identity().file
            let status = try FileIdentity.status(of: directory.path + "/" + name, followsLinks: false)
            if let status, FileIdentity(status) == identity { return file }
        }
        return nil
    }
}
