internal import LarderFormat
internal import LarderStore

/// The two storages as one: the lookup of a request, and the destination of a change.
///
/// An object in memory is always newer than one in the store: a change of the store removes from memory what it
/// replaces. So an object is looked up in memory first, and is shown as it is now in the collections of both.
struct TieredObjectStorage: Sendable {
    let memory: any ObjectStorage
    /// The storage of persistent classes; nil until the host has configured it.
    let persistent: (any ObjectStorage)?

    var all: [any ObjectStorage] { persistent.map { [memory, $0] } ?? [memory] }

    func storage(_ persistence: ObjectPersistence) throws(HTTPCacheError) -> any ObjectStorage {
        switch persistence {
        case .memory: return memory
        case .persistent:
            guard let persistent else {
                throw .notConfigured("objects are to be persistent, and no store is configured")
            }
            return persistent
        }
    }

    /// Returns an object, and where it was found.
    func object(_ name: ObjectName) throws -> (entry: ObjectEntry, place: ObjectPersistence)? {
        if let entry = try memory.object(name) { return (entry, .memory) }
        return try persistent?.object(name).map { ($0, .persistent) }
    }

    /// Returns a collection with its objects as they are now; in memory as soon as a part of it is.
    ///
    /// Validators belong to the members they came with: they are left out when a member of the other storage may
    /// differ.
    func collection(_ name: CollectionName) throws -> (entry: CollectionEntry, place: ObjectPersistence)? {
        if var entry = try memory.collection(name) {
            for member in entry.members where entry.objects[member] == nil {
                guard let other = try persistent?.object(member) else { continue }
                entry.objects[member] = other.object
                entry.validators = Validators()
            }
            return (entry, .memory)
        }
        guard var entry = try persistent?.collection(name) else { return nil }
        var place = ObjectPersistence.persistent
        for member in entry.members {
            guard let newer = try memory.object(member) else { continue }
            place = .memory
            if entry.objects[member]?.payload != newer.object.payload { entry.validators = Validators() }
            entry.objects[member] = newer.object
        }
        return (entry, place)
    }

    /// Makes those of the changes that `applicable` returns where they belong, and returns them.
    ///
    /// - Parameter applicable: called when no other change can be made in between; see
    ///   ``ObjectStorage/apply(deciding:)``.
    @discardableResult
    func apply(
        _ changes: [ObjectChange], to persistence: ObjectPersistence,
        applicable: @escaping @Sendable ([ObjectChange]) -> [ObjectChange]
    ) async throws -> [ObjectChange] {
        if changes.isEmpty { return [] }
        let made = try await storage(persistence).apply(deciding: { applicable(changes) })
        guard persistence == .persistent else { return made }
        let replaced = made.compactMap { (change) -> ObjectChange? in
            switch change {
            case .put(let object): .remove(object.name)
            case .putCollection(let name, _, _, _): .removeCollection(name)
            default: nil
            }
        }
        if !replaced.isEmpty { try await memory.apply(deciding: { applicable(replaced) }) }
        return made
    }

    /// Removes an object from both storages.
    ///
    /// - Parameter isWaiting: whether it stays in memory.
    func remove(_ name: ObjectName, keepingInMemory isWaiting: Bool = false) async throws {
        for (place, storage) in all.enumerated() where place > 0 || !isWaiting {
            try await storage.apply([.remove(name)])
        }
    }

    /// Removes a collection from both storages, and its objects unless another collection of either holds them.
    ///
    /// - Parameters:
    ///   - waiting: objects that stay in memory.
    ///   - willRemove: called with the objects to remove, before they are removed.
    /// - Returns: false when neither had it.
    func removeCollection(
        _ name: CollectionName, keepingInMemory waiting: Set<ObjectName>, willRemove: (Set<ObjectName>) -> Void
    ) async throws -> Bool {
        var members: Set<ObjectName> = []
        var isKnown = false
        for storage in all {
            guard let entry = try storage.collection(name) else { continue }
            isKnown = true
            members.formUnion(entry.members)
        }
        var shared: Set<ObjectName> = []
        for member in members {
            for storage in all where try storage.collections(containing: member).contains(where: { $0 != name }) {
                shared.insert(member)
            }
        }
        let removed = members.subtracting(shared)
        willRemove(removed)
        for (place, storage) in all.enumerated() {
            let excluded = place == 0 ? waiting : []
            try await storage.apply([.removeCollectionAndObjects(name, keeping: shared.union(excluded))])
            // The members of the other storage's collection that this storage holds.
            let others = try removed.subtracting(excluded).filter { try storage.object($0) != nil }
            if !others.isEmpty { try await storage.apply(others.map { .remove($0) }) }
        }
        return isKnown
    }

    /// Removes all objects and collections of a class from both storages.
    ///
    /// - Parameter restoring: returns the changes that restore what stays in memory, made in the same step.
    func removeClass(
        _ className: String, restoring: @escaping @Sendable () -> [ObjectChange]
    ) async throws {
        try await persistent?.apply([.removeClass(className)])
        try await memory.apply(deciding: { [.removeClass(className)] + restoring() })
    }

    /// The classes with content in either storage, distinguished by their bytes.
    func classNames() throws -> [String] {
        var names: [ResourceKey: String] = [:]
        for storage in all {
            for name in try storage.classNames() { names[ObjectName.resource(ofClass: name)] = name }
        }
        return Array(names.values)
    }
}
