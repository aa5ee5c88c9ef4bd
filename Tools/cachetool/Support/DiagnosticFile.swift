import Foundation
import Synchronization

/// Files that hold a whole store, as `ContentCache.diagnostics()` makes them: each is copied to a directory that can be
/// opened.
enum DiagnosticFile {
    /// The directories that are removed when the process ends.
    private static let directories = Mutex<[String]>([])

    /// Returns a directory with the store in the file at `path`; `path` itself where there is no file.
    ///
    /// - Throws: ``ToolError`` when the file cannot be copied.
    static func directory(of path: String) throws -> String {
        var isDirectory: ObjCBool = false
        let files = FileManager.default
        guard unsafe files.fileExists(atPath: path, isDirectory: &isDirectory), !isDirectory.boolValue,
            // The file of a store that is in use: its directory is to be named.
            !["data.mdb", "lock.mdb", "guard.lock"].contains(URL(filePath: path).lastPathComponent)
        else { return path }
        let directory = files.temporaryDirectory.appending(path: "cachetool-\(UUID().uuidString)").path
        do {
            try files.createDirectory(
                atPath: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            removeAtExit(directory)
            try files.copyItem(atPath: path, toPath: directory + "/data.mdb")
            try Data().write(to: URL(filePath: directory + "/guard.lock"))
        } catch {
            throw ToolError.system("\(path) cannot be copied to a temporary directory: \(error.localizedDescription)")
        }
        return directory
    }

    private static func removeAtExit(_ directory: String) {
        let isFirst = directories.withLock { directories in
            defer { directories.append(directory) }
            return directories.isEmpty
        }
        guard isFirst else { return }
        atexit {
            for directory in DiagnosticFile.directories.withLock({ $0 }) {
                try? FileManager.default.removeItem(atPath: directory)
            }
        }
    }
}
