import Foundation
import Synchronization

/// Files that hold a whole store, as `ContentCache.diagnostics()` makes them: each is copied to a directory that can be
/// opened for reading.
enum DiagnosticFile {
    /// The directories that are removed when the process ends. Those of killed processes are removed by the next copy.
    private static let directories = Mutex<[String]>([])
    private static let step = 1 << 20

    /// Returns a directory with the store in the file at `path`; `path` itself where there is no file, or one of a store
    /// that may be in use, whose directory is to be named.
    ///
    /// - Throws: ``ToolError`` when the file cannot be copied, and when a signal requested the end.
    static func directory(of path: String) throws -> String {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR,
            !["data.mdb", "lock.mdb", "guard.lock"].contains(URL(filePath: path).lastPathComponent)
        else { return path }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ToolError.system("\(path) is neither a directory nor a regular file: name a store.")
        }
        try checkBeginning(of: path)
        let directory = try makeDirectory()
        try copy(path, to: directory + "/data.mdb")
        try write(directory + "/guard.lock") { _ in }
        return directory
    }

    /// Refuses a file that does not begin as LMDB's files do: the page header of 16 bytes, then the mark
    /// (`MDB_MAGIC`).
    private static func checkBeginning(of path: String) throws {
        let file = try open(path)
        defer { try? file.close() }
        guard let beginning = try file.read(upToCount: 20), beginning.dropFirst(16) == Data([0xDE, 0xC0, 0xEF, 0xBE])
        else {
            throw ToolError.system(
                "\(path) is no store, or its first page is lost: name a store's directory, or a file that "
                    + "ContentCache.diagnostics() has made.")
        }
    }

    private static func open(_ path: String) throws -> FileHandle {
        do { return try FileHandle(forReadingFrom: URL(filePath: path)) } catch {
            throw ToolError.system("\(path) cannot be read: \(error.localizedDescription)")
        }
    }

    private static func makeDirectory() throws -> String {
        let parent = FileManager.default.temporaryDirectory.path
        let (count, isFirst) = directories.withLock { ($0.count, $0.isEmpty) }
        let base = "\(parent)/cachetool-copy-\(count)"
        Leftovers.remove(beside: base, in: parent)
        let directory = Leftovers.temporaryPath(beside: base)
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            throw ToolError.system(
                "No directory can be made in \(parent) (\(error.localizedDescription)): set TMPDIR to one that can be written."
            )
        }
        directories.withLock { $0.append(directory) }
        if isFirst {
            atexit {
                for directory in DiagnosticFile.directories.withLock({ $0 }) {
                    try? FileManager.default.removeItem(atPath: directory)
                }
            }
        }
        return directory
    }

    /// Copies a file in steps, so that a signal ends it.
    private static func copy(_ path: String, to target: String) throws {
        let source = try open(path)
        defer { try? source.close() }
        try write(target) { file in
            while let part = try source.read(upToCount: step), !part.isEmpty {
                try Interrupt.check()
                try file.write(contentsOf: part)
            }
        }
    }

    private static func write(_ path: String, _ body: (FileHandle) throws -> Void) throws {
        do {
            try Data().write(to: URL(filePath: path))
            let file = try FileHandle(forWritingTo: URL(filePath: path))
            defer { try? file.close() }
            try body(file)
        } catch let error as CocoaError {
            throw ToolError.system(
                "The temporary copy \(path) cannot be made (\(error.localizedDescription)): set TMPDIR to one with free space."
            )
        }
    }
}
