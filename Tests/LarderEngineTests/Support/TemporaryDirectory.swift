// TemporaryDirectory: a directory for one test, removed with the last reference.

import Foundation

/// A directory of its own for one test, removed with the last reference.
final class TemporaryDirectory: Sendable {
    let path: String

    init() {
        let url = FileManager.default.temporaryDirectory.appending(path: "larder-\(UUID().uuidString)")
        path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
