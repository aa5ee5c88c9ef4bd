// TemporaryFolder: a folder of its own, removed with the last reference.

import Foundation

/// A folder of its own, removed with the last reference.
final class TemporaryFolder: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "larder-crash-\(UUID().uuidString)").path

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a store in it.
    var store: String { path + "/store" }
}
