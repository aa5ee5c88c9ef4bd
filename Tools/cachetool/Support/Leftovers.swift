import Foundation

/// The temporary files and directories that ``NewFile`` made in processes that were killed.
enum Leftovers {
    /// Returns the temporary name of this process beside `path`.
    static func temporaryPath(beside path: String) -> String { "\(path)\(infix)\(getpid())" }

    private static let infix = ".new-"

    /// Removes the leftovers beside `path`, as far as that is possible.
    ///
    /// A process of another container has a number that means nothing here. Therefore nothing is removed that is locked.
    static func remove(beside path: String, in parent: String) {
        for name in names(beside: path, in: parent) { removeUnlocked("\(parent)/\(name)") }
    }

    /// Returns the names in `parent` of what processes that ended left beside `path`.
    static func names(beside path: String, in parent: String) -> [String] {
        let prefix = (path.split(separator: "/").last ?? "") + infix
        return ((try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []).filter { name in
            guard name.hasPrefix(prefix) else { return false }
            let digits = name.dropFirst(prefix.count)
            guard let process = pid_t(digits), process > 0, "\(process)" == digits else { return false }
            // This process has not created anything yet: what has its number is of an earlier one.
            return process == getpid() || (kill(process, 0) != 0 && errno == ESRCH)
        }
    }

    /// Removes a file, or a directory with a store, that is this user's and that no process has locked.
    private static func removeUnlocked(_ path: String) {
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let item = unsafe open(path, flags)
        if item < 0 { return }
        defer { close(item) }
        var status = stat()
        guard unsafe fstat(item, &status) == 0, status.st_uid == geteuid(),
            [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT), flock(item, LOCK_EX | LOCK_NB) == 0
        else { return }
        // A process that fills a store has locked this file in it.
        let guardFile = unsafe openat(item, "guard.lock", flags)
        defer { if guardFile >= 0 { close(guardFile) } }
        if guardFile >= 0, flock(guardFile, LOCK_EX | LOCK_NB) != 0 { return }
        try? FileManager.default.removeItem(atPath: path)
    }
}
