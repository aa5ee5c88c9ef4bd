private import Synchronization

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The lock by which other processes see that an opener of a store lives, while it writes content that no reader sees
/// yet.
///
/// It is an ``OwnerLock`` of a file that is named by the opener. The system releases it when the process dies; the file
/// that is left then shows that the content is abandoned. FORMAT.md, "Lock files".
package final class OpenerLease: Sendable {
    /// A use of a lease. It ends with ``end()``, at the latest with the last reference.
    package final class Use: Sendable {
        private let lease: OpenerLease
        private let isEnded = Atomic(false)

        fileprivate init(_ lease: OpenerLease) { self.lease = lease }

        /// Ends the use, unless it has ended.
        package func end() {
            if !isEnded.exchange(true, ordering: .relaxed) { lease.endUse() }
        }

        deinit { end() }
    }

    private struct State {
        var uses = 0
        /// The lock, while there are uses.
        var lock: OwnerLock?
    }

    private static let prefix = "opener-"
    private static let suffix = ".lock"

    /// The name of the file.
    package let name: String
    private let path: String
    private let state = Mutex(State())

    /// Creates the lease of `opener`, a UUID in lower case. The file is created with the first use.
    package init(of opener: String, in path: String) {
        name = Self.prefix + opener + Self.suffix
        self.path = path
    }

    /// Whether the lease is in use, and its file locked.
    package var isInUse: Bool { state.withLock { $0.uses > 0 } }

    /// Begins a use; call it before the transaction that enters the content.
    ///
    /// Blocks briefly while another process checks whether the opener lives.
    ///
    /// - Throws: ``EngineError/lockedElsewhere(name:seconds:)`` when it has done so for too long; errors of the system.
    ///   Nothing may be entered then: the file, if there is one, shows that the opener is dead.
    package func begin() throws(EngineError) -> Use { try begin(.standard) }

    /// Begins a use as ``begin()``, with the limit and the clock of the wait.
    func begin(_ wait: LockWait) throws(EngineError) -> Use {
        try state.withLock { state throws(EngineError) in
            if state.uses == 0 { state.lock = try acquire(wait) }
            state.uses += 1
        }
        return Use(self)
    }

    private func acquire(_ wait: LockWait) throws(EngineError) -> OwnerLock {
        let began = wait.now()
        while true {
            if let lock = try OwnerLock.acquire(name, in: path) { return lock }
            let waited = wait.now() - began
            if waited >= wait.limit { throw .lockedElsewhere(name: name, seconds: Int(waited.components.seconds)) }
            wait.pause(.milliseconds(1))
        }
    }

    private func endUse() {
        state.withLock { state in
            state.uses -= 1
            if state.uses > 0 { return }
            Self.removeFile(name, in: path)
            state.lock = nil
        }
    }

    /// Removes the file, which is locked. One that cannot be removed is left to other openers.
    fileprivate static func removeFile(_ name: String, in path: String) {
        try? StoreDirectory.removeFiles([name], in: FileDescriptor(path, O_RDONLY | O_DIRECTORY))
    }

    /// Returns the opener that a file is named by; nil for any other file.
    private static func opener(ofFile name: String) -> String? {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
        let opener = name.dropFirst(prefix.count).dropLast(suffix.count)
        let isUUID =
            opener.utf8.count == 36
            && opener.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) || byte == 0x2D
            }
        return isUUID ? String(opener) : nil
    }

    /// Returns the names of the leases' files in an open directory.
    static func names(in directory: FileDescriptor) -> [String] {
        directory.names().filter { opener(ofFile: $0) != nil }
    }

    /// Returns the openers that have a file in the directory at `path`: they are writing, or have died while they were.
    package static func openers(in path: String) -> [String] {
        StoreDirectory(path: path).entries().compactMap { opener(ofFile: $0) }
    }
}

/// The lease of an opener that has died, which this process holds while it discards what the opener was writing.
package final class AbandonedLease: Sendable {
    private let lock: OwnerLock
    private let name: String
    private let path: String

    /// Acquires the lease of an opener with a file; returns nil while the opener lives, or another process holds the
    /// lease.
    ///
    /// - Throws: ``EngineError/untrustedFile(name:problem:)`` for a file that is not plainly the store's; others of the
    ///   system.
    package init?(of opener: String, in path: String) throws(EngineError) {
        name = OpenerLease(of: opener, in: path).name
        self.path = path
        guard let lock = try OwnerLock.acquire(name, in: path) else { return nil }
        self.lock = lock
    }

    /// Removes the file, when nothing that the opener was writing is left.
    package func remove() { OpenerLease.removeFile(name, in: path) }
}
