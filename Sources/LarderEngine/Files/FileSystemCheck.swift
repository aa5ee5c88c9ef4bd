#if canImport(Glibc)
private import CLarderSystem
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The check whether a file system can hold a store.
///
/// LMDB needs a coherent shared memory map and POSIX locks that all openers see. Network file systems offer neither
/// between hosts.
enum FileSystemCheck {
    /// The Linux `statfs(2)` type numbers of file systems that cannot, with the name in the error.
    static let refused: [(type: UInt64, name: String)] = [
        (0x6969, "NFS"), (0xFF53_4D42, "CIFS"), (0xFE53_4D42, "SMB2"), (0x517B, "SMB"), (0x0102_1997, "9p"),
        (0x5346_414F, "AFS"), (0x00C3_6400, "Ceph"), (0x7461_636F, "OCFS2"), (0x0116_1970, "GFS2"),
    ]

    /// Returns the name of a refused file system by its type number; nil for others.
    static func refusal(ofType type: UInt64) -> String? {
        refused.first { $0.type == type }?.name
    }

    /// The kinds of file systems that a store is opened on.
    enum Kind {
        /// A mount whose files lie in a lower, read-only layer until they are first opened for writing, which copies
        /// them: a process that has opened one before, for reading only, keeps the file of the lower layer.
        case overlay
        case other
    }

    /// The Linux type number of an overlay mount.
    private static let overlay = 0x794C_7630

    /// Returns the kind of the file system of `path`.
    ///
    /// - Throws: ``EngineError/unsupportedFileSystem(name:)`` when it is a refused one.
    static func check(_ path: String) throws(EngineError) -> Kind {
        #if canImport(Glibc)
        let type = unsafe larder_file_system_type(path)
        if type < 0 { throw EngineError(code: Int32(truncatingIfNeeded: -type), operation: "statfs") }
        if let name = refusal(ofType: UInt64(type)) { throw .unsupportedFileSystem(name: name) }
        if type == overlay { return .overlay }
        #endif
        return .other
    }

    /// Distinguishes a full disk from a broken one: a short write on a full file system at `path` is reported as EIO.
    static func refined(_ error: EngineError, at path: String) -> EngineError {
        guard case .ioFailure = error, let free = freeBytes(path), free < 1 << 20 else { return error }
        return .diskFull
    }

    /// Returns the bytes that an unprivileged process can still write on the file system of `path`.
    static func freeBytes(_ path: String) -> UInt64? {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }
}
