import Foundation

/// Creates a file or directory that appears whole or not at all, and never replaces a file of a store.
enum NewFile {
    /// Writes the output of `body` to a file beside `path`, syncs it and renames it into place, over an existing file.
    static func write(_ path: String, _ body: (_ put: @escaping ([UInt8]) throws -> Void) throws -> Void) throws {
        try checkIsRegularFile(path)
        try checkIsNotStoreFile(path)
        Leftovers.remove(beside: path, in: parent(of: path))
        let temporaryPath = Leftovers.temporaryPath(beside: path)
        // O_EXCL prevents following a link.
        let file = unsafe open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file < 0 { throw failure("create", temporaryPath) }
        defer {
            close(file)
            unsafe unlink(temporaryPath)  // After success the file is in place already, and this finds nothing.
        }
        // Another process must not take it for a leftover. No other one can have it open for writing.
        _ = flock(file, LOCK_EX | LOCK_NB)
        try body { try Terminal.write($0, to: file) }
        if fsync(file) != 0 { throw failure("sync", temporaryPath) }
        if unsafe rename(temporaryPath, path) != 0 { throw failure("rename", path) }
        try syncParent(of: path)
    }

    /// Creates a new directory with `body` beside `path`, and renames it into place; `path` must be free or an empty
    /// directory.
    static func directory(_ path: String, _ body: (_ aside: String) throws -> Void) throws {
        var trimmed = path
        while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
        try checkIsFree(trimmed)
        Leftovers.remove(beside: trimmed, in: parent(of: trimmed))
        let temporaryPath = Leftovers.temporaryPath(beside: trimmed)
        // Fails where anything exists, even a dangling link: no other process can have created the directory that is
        // filled now.
        if unsafe mkdir(temporaryPath, 0o700) != 0 { throw failure("create", temporaryPath) }
        // A umask may withhold even the owner's rights.
        if unsafe fchmodat(AT_FDCWD, temporaryPath, 0o700, AT_SYMLINK_NOFOLLOW) != 0 {
            throw failure("create", temporaryPath)
        }
        defer { try? FileManager.default.removeItem(atPath: temporaryPath) }
        try body(temporaryPath)
        try Interrupt.check()
        // A directory can replace an empty one only.
        if unsafe rename(temporaryPath, trimmed) != 0 { throw failure("rename", trimmed) }
        try syncParent(of: trimmed)
    }

    /// Returns the kind of the file at `path`, links not followed; nil when there is none.
    private static func kind(of path: String) -> mode_t? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    /// Throws when a rename would replace a pipe, a device or a link, which is never intended.
    private static func checkIsRegularFile(_ path: String) throws(ToolError) {
        switch kind(of: path) {
        case nil, S_IFREG: return
        case S_IFDIR: throw .system("\(path) is a directory: name a file.")
        case S_IFLNK: throw .system("\(path) is a symbolic link: name the file itself.")
        default: throw .system("\(path) is a pipe, socket or device: leave --output out to write to standard output.")
        }
    }

    private static func checkIsNotStoreFile(_ path: String) throws(ToolError) {
        let name = path.split(separator: "/").last.map { $0.lowercased() } ?? ""
        let isStoreFile =
            ["data.mdb", "lock.mdb", "guard.lock", "outbox.lock", "sync.lock", "bodies.lock"].contains(name)
            || name.hasPrefix("search.sqlite") || name.hasPrefix("opener-") && name.hasSuffix(".lock")
        if isStoreFile, FileManager.default.fileExists(atPath: parent(of: path) + "/data.mdb") {
            throw .system("\(path) is a file of a store: name another one.")
        }
    }

    private static func checkIsFree(_ path: String) throws(ToolError) {
        guard let kind = kind(of: path) else { return }
        let names = try? FileManager.default.contentsOfDirectory(atPath: path)
        guard kind == S_IFDIR, let names, names.isEmpty else {
            throw .system("There is something at \(path) already: name a new directory.")
        }
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func syncParent(of path: String) throws {
        let parent = parent(of: path)
        let file = unsafe open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if file < 0 { throw failure("open", parent) }
        defer { close(file) }
        if fsync(file) != 0 { throw failure("sync", parent) }
    }

    /// Returns the system's error for `path`.
    static func failure(_ operation: String, _ path: String) -> ToolError {
        .system("Could not \(operation) \(path): \(unsafe String(cString: strerror(errno))).")
    }
}
