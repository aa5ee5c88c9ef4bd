import Foundation

/// A file that appears whole or not at all.
enum NewFile {
    /// Gathers what `body` puts in a file beside `path`, syncs it and renames it into place, over what was there.
    static func write(_ path: String, _ body: (_ put: @escaping ([UInt8]) throws -> Void) throws -> Void) throws {
        let aside = "\(path).new-\(getpid())"
        let file = unsafe open(aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file < 0 { throw failure("create", aside) }
        defer {
            close(file)
            unsafe unlink(aside)  // In place already when all went well, and then this finds nothing.
        }
        try body { try Terminal.write($0, to: file) }
        if fsync(file) != 0 { throw failure("sync", aside) }
        if unsafe rename(aside, path) != 0 { throw failure("rename", path) }
        try syncParent(of: path)
    }

    /// Makes a new directory with `body` beside `path`, where nothing may be, and renames it into place.
    static func directory(_ path: String, _ body: (_ aside: String) throws -> Void) throws {
        var trimmed = path
        while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
        try refuse(trimmed)
        let aside = "\(trimmed).new-\(getpid())"
        try refuse(aside)
        defer { try? FileManager.default.removeItem(atPath: aside) }
        try body(aside)
        try Interrupt.check()
        // A directory goes in the place of an empty one, and of nothing else.
        if unsafe rename(aside, trimmed) != 0 { throw failure("rename", trimmed) }
        try syncParent(of: trimmed)
    }

    private static func refuse(_ path: String) throws(ToolError) {
        let files = FileManager.default
        guard files.fileExists(atPath: path) else { return }
        guard let names = try? files.contentsOfDirectory(atPath: path), names.isEmpty else {
            throw .system("There is something at \(path) already: name a new directory.")
        }
    }

    private static func syncParent(of path: String) throws {
        let parent = path.contains("/") ? String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) : "."
        let file = unsafe open(parent.isEmpty ? "/" : parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if file < 0 { throw failure("open", parent) }
        defer { close(file) }
        if fsync(file) != 0 { throw failure("sync", parent) }
    }

    /// What the system said about `path`.
    static func failure(_ operation: String, _ path: String) -> ToolError {
        .system("Could not \(operation) \(path): \(unsafe String(cString: strerror(errno))).")
    }
}
