public import LarderFormat
internal import LarderStore
internal import Logging
internal import Synchronization

/// The result of a removal from storage.
public struct StorageRemoval: Hashable, Sendable {
    /// Whether anything of that name was stored.
    public var wasStored: Bool
    /// The objects that a waiting write changes: the write is kept, shown and sent; the server's version is removed.
    public var waiting: Set<ObjectName>
}

// These functions remove local copies only. A waiting write is kept, shown and sent. A response is not stored if its
// request was sent before the removal and it arrives after it.
extension ObjectCache {
    /// Removes one object and its files from storage. Collections that contain it are then incomplete.
    ///
    /// - Throws: errors of the storages.
    @discardableResult
    public func deleteFromStorage(_ name: ObjectName) async throws -> StorageRemoval {
        let name = self.name(of: name)
        order.recordRemoval(of: [.object(name)])
        let wasStored = try tieredStorage.object(name) != nil
        let waiting = try waitingObjects().intersection([name])
        let isInMemory = writes.rebaseOnRemoval(name) != nil
        try await tieredStorage.remove(name, keepingInMemory: isInMemory)
        try await removeFiles(.prefix(ObjectFile.keyPrefix(of: name)))
        return StorageRemoval(wasStored: wasStored, waiting: waiting)
    }

    /// Removes a collection from storage, with its objects and their files, except for objects that another collection
    /// contains.
    ///
    /// Only the collection stored for exactly this query is removed. Collections fetched through references are removed
    /// only by their own names.
    ///
    /// - Returns: also which of its objects have waiting writes.
    /// - Throws: errors of the storages.
    @discardableResult
    public func deleteAllFromStorage(_ name: CollectionName) async throws -> StorageRemoval {
        order.recordRemoval(of: [.collection(name)])
        let waiting = try waitingObjects()
        let inMemory = writes.changedObjects
        var removed: Set<ObjectName> = []
        let wasStored = try await tieredStorage.removeCollection(name, keepingInMemory: inMemory) { objects in
            removed = objects
            order.recordRemoval(of: objects.map { .object($0) })
            for object in objects.intersection(inMemory) { _ = writes.rebaseOnRemoval(object) }
        }
        for object in removed { try await removeFiles(.prefix(ObjectFile.keyPrefix(of: object))) }
        return StorageRemoval(wasStored: wasStored, waiting: waiting.intersection(removed))
    }

    /// Removes all objects, collections and files of a class from storage, regardless of how they were stored.
    ///
    /// - Throws: errors of the storages.
    @discardableResult
    public func removeAllFromStorage(class className: String) async throws -> StorageRemoval {
        let resource = ObjectName.resource(ofClass: className)
        order.recordRemoval(of: [.objectClass(resource)])
        let waiting = try waitingObjects().filter { $0.row.resource == resource }
        let wasStored = try tieredStorage.classNames().contains { ObjectName.resource(ofClass: $0) == resource }
        try await removeObjects(ofClass: className)
        try await removeFiles(.tag(ObjectFile.tag(ofClass: className)))
        return StorageRemoval(wasStored: wasStored, waiting: waiting)
    }

    /// Removes all objects, collections and files from storage, in memory and in the store, as signing out requires.
    ///
    /// Writes in the ``WriteQueue`` belong to the queue, and are removed with its account.
    ///
    /// - Parameter discardingUnsent: whether the writes that wait in memory are discarded too, and with them the writes
    ///   made earlier that are about to wait; those end with ``HTTPCacheError/transport(_:)``. A request under way is
    ///   not cancelled.
    /// - Throws: errors of the storages.
    @discardableResult
    public func clear(discardingUnsent: Bool = false) async throws -> StorageRemoval {
        order.recordRemoval(of: [.everything])
        if discardingUnsent {
            let count = writes.removeAll()
            if count > 0 { host.logger.warning("\(count) writes that waited in memory were discarded") }
        }
        let waiting = try waitingObjects()
        let classNames = try tieredStorage.classNames()
        for className in classNames { try await removeObjects(ofClass: className) }
        try await removeFiles(.prefix(ObjectFile.keyPrefix))
        return StorageRemoval(wasStored: !classNames.isEmpty, waiting: waiting)
    }

    private func removeObjects(ofClass className: String) async throws {
        let resource = ObjectName.resource(ofClass: className)
        try await tieredStorage.removeClass(className) { [writes] in
            writes.changedObjects.filter { $0.row.resource == resource }.compactMap { writes.rebaseOnRemoval($0) }
        }
    }

    /// The objects that waiting writes change.
    private func waitingObjects() throws -> Set<ObjectName> {
        let queued = try state.withLock { $0.persistent?.writes }?.waiting() ?? []
        return writes.changedObjects.union(queued.compactMap(\.changed))
    }

    /// The caches that files are kept in.
    var fileCaches: [any ResponseCache] {
        [memory.files] + (state.withLock { $0.persistent?.files }.map { [$0] } ?? [])
    }

    private func removeFiles(_ selection: CacheSelection) async throws {
        for files in fileCaches { try await files.remove(selection) }
    }

    /// Removes files that are no longer valid. A failure is logged.
    func dropFiles(_ selection: CacheSelection) async {
        for files in fileCaches {
            do {
                try await files.remove(selection)
            } catch {
                host.logger.warning("an old file could not be removed: \(error)")
            }
        }
    }
}
