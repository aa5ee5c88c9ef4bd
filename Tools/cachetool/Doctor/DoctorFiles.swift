import Foundation

/// The files in a store's directory and beside it, and the space of their file system.
struct DoctorFiles: Hashable, Sendable {
    /// Whether the directory has `guard.lock`, which every opener locks.
    var hasGuard = true
    /// Whether this user may write `data.mdb`.
    var isWritable = true
    /// The free bytes of the file system; nil where it does not say.
    var freeSpace: Int64?
    /// Temporary directories and lock files that processes left in the store's directory when they were killed, if no
    /// process has the store open.
    var leftovers: [String] = []
    /// The unfinished copies that killed verbs of this tool left beside the directory.
    var leftoversBeside: [String] = []
    /// The size of `damaged.mdb`, which a salvage has replaced; nil where there is none.
    var damagedCopySize: Int64?
}

extension DoctorFiles {
    /// Reads the files of the store at `path`.
    init(of path: String) {
        let files = FileManager.default
        hasGuard = files.fileExists(atPath: path + "/guard.lock")
        isWritable = files.isWritableFile(atPath: path + "/data.mdb")
        let system = try? files.attributesOfFileSystem(forPath: path)
        freeSpace = (system?[.systemFreeSize] as? NSNumber)?.int64Value
        let names = (try? files.contentsOfDirectory(atPath: path)) ?? []
        leftovers = names.filter { $0.hasPrefix(".larder-new-") || $0.hasPrefix("opener-") && $0.hasSuffix(".lock") }
            .sorted()
        let whole = URL(fileURLWithPath: path).standardizedFileURL
        leftoversBeside = Leftovers.names(
            beside: whole.lastPathComponent, in: whole.deletingLastPathComponent().path
        ).sorted()
        let damaged = try? files.attributesOfItem(atPath: path + "/damaged.mdb")
        damagedCopySize = (damaged?[.size] as? NSNumber)?.int64Value
    }
}
