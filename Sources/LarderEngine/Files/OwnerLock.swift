#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The lock of a file in a store's directory, whose holder alone, in any process, does the work that the file is named
/// for.
///
/// It is a `flock` of the open file, so that two openers within one process exclude each other too. The system releases
/// it when the holder dies. FORMAT.md, outbox.lock.
package final class OwnerLock: Sendable {
    /// The holder of the lock, as far as the file names it.
    package enum Holder: Hashable, Sendable {
        case process(Int32)
        case unknown

        /// Whether it is this process, as far as the file names it.
        package var isThisProcess: Bool { self == .process(getpid()) }
    }

    private static let magic: [UInt8] = Array("LARDOWN1".utf8)
    private static let size = 16

    let file: FileDescriptor

    private init(_ file: FileDescriptor) { self.file = file }

    /// Acquires the lock of the file `name`, which is created when there is none; returns nil while another opener
    /// holds it.
    ///
    /// Blocks for a few milliseconds at most, when other processes query the lock all the time.
    ///
    /// - Throws: ``EngineError/untrustedFile(name:problem:)`` for a file that is not plainly the store's; others of the
    ///   system.
    package static func acquire(_ name: String, in path: String) throws(EngineError) -> OwnerLock? {
        try acquire(name, in: path, pause: LockWait.standard.pause)
    }

    /// Acquires the lock as ``acquire(_:in:)``; `pause` blocks the thread between two tries.
    static func acquire(_ name: String, in path: String, pause: (Duration) -> Void) throws(EngineError) -> OwnerLock? {
        var length = Duration.microseconds(50)
        for _ in 0..<tries {
            switch try tryAcquire(name, in: path) {
            case .acquired(let lock): return lock
            case .heldExclusively: return nil
            case .changed: break
            case .heldShared:
                pause(length)
                length = min(length * 2, .milliseconds(1))
            }
        }
        return nil
    }

    private static let tries = 16

    private enum TryResult {
        case acquired(OwnerLock)
        case heldExclusively
        /// Another process created, removed or replaced the file between two steps.
        case changed
        /// Another process queries the lock, or tries to acquire it too.
        case heldShared
    }

    private static func tryAcquire(_ name: String, in path: String) throws(EngineError) -> TryResult {
        guard let file = try StoreDirectory(path: path).openOrMakeFile(named: name) else { return .changed }
        guard try file.lock(exclusive: true, waits: false) else {
            // A query shares the lock briefly, an owner never does. The lock shared here ends with the open file.
            return try file.lock(exclusive: false, waits: false) ? .heldShared : .heldExclusively
        }
        guard try FileIdentity.of(path + "/" + name) == file.identity().file else { return .changed }
        if fchmod(file.number, 0o600) != 0 { throw EngineError(code: errno, operation: "fchmod") }
        var record = magic
        let process = UInt64(UInt32(bitPattern: getpid()))
        for byte in 0..<8 { record.append(UInt8(truncatingIfNeeded: process >> (8 * byte))) }
        try file.write(record, at: 0)
        return .acquired(OwnerLock(file))
    }

    /// Returns the holder of the lock of the file `name`; nil when there is none.
    ///
    /// - Throws: ``EngineError/untrustedFile(name:problem:)`` for a file that is not plainly the store's; others of the
    ///   system.
    package static func holder(of name: String, in path: String) throws(EngineError) -> Holder? {
        let directory = StoreDirectory(path: path)
        guard try directory.checkFile(named: name) else { return nil }
        let file: FileDescriptor
        do throws(EngineError) {
            file = try directory.openFile(named: name, O_RDONLY)
        } catch {
            // The file was removed meanwhile.
            if error == .notFound { return nil }
            throw error
        }
        // Shared, and briefly: queries do not exclude each other, and `acquire` distinguishes one from an owner.
        if try file.lock(exclusive: false, waits: false) { return nil }
        let record = try file.read(size, at: 0)
        guard record.count == size, Array(record[0..<8]) == magic else { return .unknown }
        return Int32(exactly: record.u64(8)).map { .process($0) } ?? .unknown
    }
}
