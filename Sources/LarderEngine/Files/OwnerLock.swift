#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The lock of a file in a store's directory: its holder is the only one, in any process, to do what the file is named for.
///
/// A `flock` of the open file, so that two openers within one process exclude each other too, and the system releases it
/// when the holder dies. FORMAT.md, outbox.lock.
package final class OwnerLock: Sendable {
    /// What holds the lock, as far as it has said.
    package enum Holder: Hashable, Sendable {
        case process(Int32)
        case unknown
    }

    private static let magic: [UInt8] = Array("LARDOWN1".utf8)
    private static let size = 16

    private let file: FileDescriptor

    private init(_ file: FileDescriptor) { self.file = file }

    /// Takes the lock of the file `name`, made when there is none; nil while something else holds it.
    ///
    /// - Throws: ``EngineError/untrustedFile(name:problem:)`` for a file that is not plainly the store's; others of the system.
    package static func take(_ name: String, in path: String) throws(EngineError) -> OwnerLock? {
        let directory = StoreDirectory(path: path)
        // The file may be made, removed or replaced by another process between two steps.
        for _ in 0..<8 {
            guard let file = try open(name, in: directory) else { continue }
            guard try file.lock(exclusive: true, waits: false) else { return nil }
            guard try FileIdentity.of(path + "/" + name) == file.identity().file else { continue }
            if fchmod(file.number, 0o600) != 0 { throw EngineError(code: errno, operation: "fchmod") }
            var record = magic
            let process = UInt64(UInt32(bitPattern: getpid()))
            for byte in 0..<8 { record.append(UInt8(truncatingIfNeeded: process >> (8 * byte))) }
            try file.write(record, at: 0)
            return OwnerLock(file)
        }
        return nil
    }

    /// What holds the lock of the file `name`; nil when nothing does.
    package static func holder(of name: String, in path: String) throws(EngineError) -> Holder? {
        let directory = StoreDirectory(path: path)
        guard try directory.checkFile(named: name) else { return nil }
        let file: FileDescriptor
        do throws(EngineError) {
            file = try directory.openFile(named: name, O_RDONLY)
        } catch {
            // Removed since.
            if error == .notFound { return nil }
            throw error
        }
        // Shared, and for a moment: those who only look do not stand in each other's way.
        if try file.lock(exclusive: false, waits: false) { return nil }
        let record = try file.read(size, at: 0)
        guard record.count == size, Array(record[0..<8]) == magic else { return .unknown }
        return Int32(exactly: record.u64(8)).map { .process($0) } ?? .unknown
    }

    private static func open(_ name: String, in directory: StoreDirectory) throws(EngineError) -> FileDescriptor? {
        do throws(EngineError) {
            if try directory.checkFile(named: name) { return try directory.openFile(named: name, O_RDWR) }
            return try directory.openFile(named: name, O_RDWR | O_CREAT | O_EXCL)
        } catch {
            switch error {
            case .notFound, .system(code: EEXIST, _): return nil
            default: throw error
            }
        }
    }
}
