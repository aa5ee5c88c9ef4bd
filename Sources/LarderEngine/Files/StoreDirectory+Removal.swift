#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// Removing what is the store's own. Everything is reached from an open directory, never through a link, and only
/// names that a store gives are touched. Errors are left to the next attempt.
extension StoreDirectory {
    /// How deep temporary directories lie in each other: a compaction's copy is itself built aside.
    private static let temporaryDepth = 2

    /// Removes temporary directories that a killed creation or compaction left behind. The caller holds
    /// ``lock(creating:_:)``, so nobody is at work in one.
    func removeRemains() {
        guard let directory = try? FileDescriptor(path, O_RDONLY | O_DIRECTORY) else { return }
        Self.removeTemporaries(in: directory, depth: 1)
    }

    /// Removes one temporary directory.
    func removeTemporary(_ name: String) {
        guard let directory = try? FileDescriptor(path, O_RDONLY | O_DIRECTORY) else { return }
        Self.removeTemporary(name, in: directory, depth: 1)
    }

    /// Removes the store's files, what a killed copy was building beside them, and the directory when nothing else is
    /// in it.
    func removeStore() {
        guard let directory = try? FileDescriptor(path, O_RDONLY | O_DIRECTORY) else { return }
        Self.removeTemporaries(in: directory, depth: 1)
        Self.removeFiles(in: directory)
        unsafe rmdir(path)
    }

    private static func removeTemporaries(in directory: FileDescriptor, depth: Int) {
        for name in directory.names() where name.hasPrefix(temporaryPrefix) {
            removeTemporary(name, in: directory, depth: depth)
        }
    }

    private static func removeTemporary(_ name: String, in parent: FileDescriptor, depth: Int) {
        guard depth <= temporaryDepth,
            let directory = try? FileDescriptor(name, in: parent, O_RDONLY | O_DIRECTORY | O_NOFOLLOW),
            (try? checkOwner(of: directory)) != nil
        else { return }
        removeTemporaries(in: directory, depth: depth + 1)
        removeFiles(in: directory)
        unsafe unlinkat(parent.number, name, AT_REMOVEDIR)
    }

    private static func removeFiles(in directory: FileDescriptor) {
        for name in fileNames {
            var status = stat()
            // Where root may unlink directories, that would leave what is in them unreachable.
            guard unsafe fstatat(directory.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
                status.st_mode & S_IFMT != S_IFDIR
            else { continue }
            unsafe unlinkat(directory.number, name, 0)
        }
    }
}

extension FileDescriptor {
    /// The names of everything in the open directory, in no order.
    func names() -> [String] {
        // The stream closes the descriptor it is given, and moves its position.
        let own = unsafe openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard own >= 0 else { return [] }
        guard let stream = unsafe fdopendir(own) else {
            close(own)
            return []
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
                // readdir ends the name with a zero byte within the field.
                unsafe String(cString: UnsafeRawPointer(field).assumingMemoryBound(to: CChar.self))
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }
}
