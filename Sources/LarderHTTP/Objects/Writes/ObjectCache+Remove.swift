public import LarderFormat
internal import LarderStore
internal import Logging
internal import Synchronization

/// What a removal from storage came to.
public struct StorageRemoval: Hashable, Sendable {
    /// Whether anything of that name was stored.
    public var wasKept: Bool
    /// The objects that a waiting write changes: the write is kept, shown and sent; the server's version is removed.
    public var waiting: Set<ObjectName>
}

// Removes local copies only. A waiting write is kept, shown and sent. An answer that was asked for before a removal, and
// comes after it, is not kept.
extension ObjectCache {
    /// Removes one object and its files from what is kept. Collections that hold it are then incomplete.
    ///
    /// - Throws: what the storages throw.
    @discardableResult
    public func deleteFromStorage(_ name: ObjectName) async throws -> StorageRemoval {
        let name = self.name(of: name)
        order.noteRemoval(of: [.object(name)])
        let wasKept = try shelves.object(name) != nil
        let waiting = try waitingObjects().intersection([name])
        let isInMemory = writes.rebaseOnNothing(name) != nil
        try await shelves.remove(name, keepingInMemory: isInMemory)
        try await removeFiles(.prefix(ObjectFile.keyPrefix(of: name)))
        return StorageRemoval(wasKept: wasKept, waiting: waiting)
    }

    /// Removes a collection from what is kept, and its objects with their files but those that another collection holds.
    ///
    /// Only the collection known by exactly this query goes; those fetched through references go only by their own name.
    ///
    /// - Returns: also which of its objects stay.
    /// - Throws: what the storages throw.
    @discardableResult
    public func deleteAllFromStorage(_ name: CollectionName) async throws -> StorageRemoval {
        order.noteRemoval(of: [.collection(name)])
        let waiting = try waitingObjects()
        let inMemory = writes.changedObjects
        var removed: Set<ObjectName> = []
        let wasKept = try await shelves.removeCollection(name, keepingInMemory: inMemory) { objects in
            removed = objects
            order.noteRemoval(of: objects.map { .object($0) })
            for object in objects.intersection(inMemory) { _ = writes.rebaseOnNothing(object) }
        }
        for object in removed { try await removeFiles(.prefix(ObjectFile.keyPrefix(of: object))) }
        return StorageRemoval(wasKept: wasKept, waiting: waiting.intersection(removed))
    }

    /// Removes all objects, collections and files of a class from what is kept, however they came.
    ///
    /// - Throws: what the storages throw.
    @discardableResult
    public func removeAllFromStorage(class className: String) async throws -> StorageRemoval {
        let resource = ObjectName.resource(ofClass: className)
        order.noteRemoval(of: [.objectClass(resource)])
        let waiting = try waitingObjects().filter { $0.row.resource == resource }
        let wasKept = try shelves.classNames().contains { ObjectName.resource(ofClass: $0) == resource }
        try await removeObjects(ofClass: className)
        try await removeFiles(.tag(ObjectFile.tag(ofClass: className)))
        return StorageRemoval(wasKept: wasKept, waiting: waiting)
    }

    /// Removes all objects, collections and files from what is kept, in memory and in the store, as signing out asks for.
    ///
    /// Writes that wait in the ``WriteQueue`` are the queue's own, and go with its account.
    ///
    /// - Parameter discardingUnsent: whether the writes that wait in memory are given up too, and those made before that are
    ///   about to wait: they end with ``HTTPCacheError/transport(_:)``. A request under way is not recalled.
    /// - Throws: what the storages throw.
    @discardableResult
    public func clear(discardingUnsent: Bool = false) async throws -> StorageRemoval {
        order.noteRemoval(of: [.everything])
        if discardingUnsent {
            let count = writes.removeAll()
            if count > 0 { host.logger.warning("\(count) writes that waited in memory were given up") }
        }
        let waiting = try waitingObjects()
        let classNames = try shelves.classNames()
        for className in classNames { try await removeObjects(ofClass: className) }
        try await removeFiles(.prefix(ObjectFile.keyPrefix))
        return StorageRemoval(wasKept: !classNames.isEmpty, waiting: waiting)
    }

    private func removeObjects(ofClass className: String) async throws {
        let resource = ObjectName.resource(ofClass: className)
        try await shelves.removeClass(className) { [writes] in
            writes.changedObjects.filter { $0.row.resource == resource }.compactMap { writes.rebaseOnNothing($0) }
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

    /// Removes files that have no meaning any more; that this fails is logged.
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
