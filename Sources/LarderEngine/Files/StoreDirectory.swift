#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The directory that holds a store's files.
struct StoreDirectory {
    static let dataName = "data.mdb"

    let path: String

    /// `path` from the root on, so that a later change of the working directory does not move the store.
    static func absolute(_ path: String) throws(EngineError) -> String {
        if path.hasPrefix("/") { return path }
        guard let working = unsafe getcwd(nil, 0) else { throw EngineError(code: errno, operation: "getcwd") }
        defer { unsafe free(working) }
        // getcwd ends what it allocates with a zero byte.
        return unsafe String(cString: working) + "/" + path
    }

    var dataPath: String { path + "/" + Self.dataName }

    /// Makes the directory, and those above it, for the owner only. An existing one keeps its mode.
    func create() throws(EngineError) {
        var made = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: false) {
            made += part
            if !made.isEmpty, made != "/", unsafe mkdir(made, 0o700) != 0, errno != EEXIST {
                // A parent that exists on a read-only mount answers EROFS; the deepest one decides.
                if errno != EROFS && errno != EACCES { throw EngineError(code: errno, operation: "mkdir") }
            }
            made += "/"
        }
        var status = stat()
        if unsafe stat(path, &status) != 0 { throw EngineError(code: errno, operation: "stat") }
        if status.st_mode & S_IFMT != S_IFDIR { throw .accessDenied(errno: ENOTDIR) }
    }

    /// Locks the directory against other opens, closes and maintenance, in any process, until released.
    func lock() throws(EngineError) -> FileDescriptor {
        let file = try FileDescriptor(path, O_RDONLY | O_DIRECTORY)
        _ = try file.lock(exclusive: true, waits: true)
        return file
    }

    /// Builds the data file in a temporary directory with `build`, then moves it into place.
    ///
    /// A power cut at any moment leaves either no data file or a whole one. The caller holds ``lock()``.
    func createDataFile(_ build: (_ temporaryPath: String) throws -> Void) throws {
        removeRemains()
        let temporary = path + "/.new-\(getpid())"
        if unsafe mkdir(temporary, 0o700) != 0 { throw EngineError(code: errno, operation: "mkdir") }
        defer { StoreDirectory(path: temporary).removeAll() }
        try build(temporary)
        let data = try FileDescriptor(temporary + "/" + Self.dataName, O_RDWR)
        try data.sync()
        try install(temporary + "/" + Self.dataName)
    }

    /// Renames a finished and synced data file into place, and syncs the directory.
    func install(_ file: String) throws(EngineError) {
        if unsafe chmod(file, 0o600) != 0 { throw EngineError(code: errno, operation: "chmod") }
        if unsafe rename(file, dataPath) != 0 { throw EngineError(code: errno, operation: "rename") }
        try FileDescriptor(path, O_RDONLY | O_DIRECTORY).sync()
    }

    /// Removes temporary directories that a killed creation or compaction left behind. The caller holds ``lock()``, so
    /// nobody is at work in one.
    func removeRemains() {
        for name in entries() where name.hasPrefix(".new-") { StoreDirectory(path: path + "/" + name).removeAll() }
    }

    /// Removes the directory with the files directly in it, and what a killed copy was building there. Errors are left
    /// to the next attempt.
    func removeAll() {
        removeRemains()
        for name in entries() { unsafe unlink(path + "/" + name) }
        unsafe rmdir(path)
    }

    /// The names of everything in it, in no order.
    func entries() -> [String] {
        guard let stream = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
                // readdir ends the name with a zero byte within the field.
                unsafe String(cString: UnsafeRawPointer(field).assumingMemoryBound(to: CChar.self))
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }
}
