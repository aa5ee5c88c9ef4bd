private import Foundation
internal import LarderStore

/// The directory of a cache.
///
/// ```swift
/// let cache = try await ContentCache.open(.applicationSupport("words"), services: .system(transport))
/// print(cache.store.path)
/// ```
public struct CacheLocation: Hashable, Sendable {
    /// The path of the directory; it is created when it does not exist.
    public let path: String

    /// A directory at a path.
    public static func directory(_ path: String) -> CacheLocation { CacheLocation(path: path) }

    /// A directory of this name where the system keeps the data of applications: it is backed up, and the system never
    /// removes it. On Linux it is below `$XDG_DATA_HOME`, or `~/.local/share`.
    ///
    /// - Parameters:
    ///   - name: The name of the directory.
    ///   - account: The account that the directory is for, as the server names it; nil for a directory that accounts
    ///     share. With a directory for each, nothing of one is ever shown to another. The name of the directory is
    ///     derived from the account, and does not contain it.
    /// - Precondition: `name` is one path component.
    public static func applicationSupport(_ name: String, account: String? = nil) -> CacheLocation {
        precondition(!name.isEmpty && !name.contains("/") && name != "." && name != "..", "\(name) is no name")
        let folders = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
        guard let folder = folders.first else { preconditionFailure("the system names no directory for applications") }
        let path = folder.appending(path: name).path
        return CacheLocation(path: account.map { Store.accountPath(base: path, account: $0) } ?? path)
    }

    /// A new directory of its own for each call, below the system's directory for temporary files: for tests.
    public static func temporary() -> CacheLocation {
        let name = "larder-\(UUID().uuidString)"
        return CacheLocation(path: FileManager.default.temporaryDirectory.appending(path: name).path)
    }
}
