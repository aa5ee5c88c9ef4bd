public import LarderFormat
internal import LarderStore
internal import Logging
internal import Synchronization

// What is removed here is removed from the device; the server keeps it.
extension ObjectCache {
    /// Removes one object and its files from what is kept. Collections that hold it are then incomplete.
    ///
    /// - Throws: what the storages throw.
    public func deleteFromStorage(_ name: ObjectName) async throws {
        try await shelves.remove(name)
        for files in fileCaches { try await files.remove(.prefix(ObjectFile.keyPrefix(of: name))) }
    }

    /// Removes a collection from what is kept, and its objects but those that another collection holds.
    ///
    /// Only the collection known by exactly this query goes; those fetched through references go only by their own name.
    ///
    /// - Returns: false when it was not kept.
    /// - Throws: what the storages throw.
    @discardableResult
    public func deleteAllFromStorage(_ name: CollectionName) async throws -> Bool {
        try await shelves.removeCollection(name)
    }

    /// Removes all objects, collections and files of a class from what is kept, however they came.
    ///
    /// - Throws: what the storages throw.
    public func removeAllFromStorage(class className: String) async throws {
        try await shelves.removeClass(className)
        for files in fileCaches { try await files.remove(.tag(ObjectFile.tag(ofClass: className))) }
    }

    /// The caches that files are kept in.
    var fileCaches: [any ResponseCache] {
        [memory.files] + (state.withLock { $0.persistent?.files }.map { [$0] } ?? [])
    }

    /// Removes what is kept of a file whose content changed.
    func dropFile(_ file: ObjectFile) async {
        for files in fileCaches {
            do {
                try await files.remove(.key(file.key))
            } catch {
                host.logger.warning("an old file could not be removed: \(error)")
            }
        }
    }
}
