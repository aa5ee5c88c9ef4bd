// ScratchDirectory: a directory that is removed with its last reference.

import Foundation

/// A directory that is removed with its last reference.
final class ScratchDirectory: Sendable {
    let path: String

    /// A new directory below `LARDER_BENCH_DIR`, or the system's temporary directory.
    init() throws {
        let base = ProcessInfo.processInfo.environment["LARDER_BENCH_DIR"] ?? NSTemporaryDirectory()
        path = base + (base.hasSuffix("/") ? "" : "/") + "larder-bench-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a file or folder in it.
    func path(_ name: String) -> String { path + "/" + name }

    /// The path of a folder in it, which is created.
    func folder(_ name: String) throws -> String {
        try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
        return path(name)
    }
}
