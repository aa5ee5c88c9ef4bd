internal import LarderFormat
internal import LarderStore

/// The two storages as one: what a request finds, and where a change goes.
///
/// What lies in memory is always the newer: a change that goes to the store takes what it replaces out of memory. So
/// an object is looked for in memory first, and is seen as it is now in the collections of both.
struct ObjectShelves: Sendable {
    let memory: any ObjectStorage
    /// Nil until the host has said where.
    let persistent: (any ObjectStorage)?

    private var all: [any ObjectStorage] { persistent.map { [memory, $0] } ?? [memory] }

    func storage(_ persistence: ObjectPersistence) throws(HTTPCacheError) -> any ObjectStorage {
        switch persistence {
        case .memory: return memory
        case .persistent:
            guard let persistent else { throw .notConfigured("objects are to be kept, and no store was given") }
            return persistent
        }
    }

    /// An object, and where it was found.
    func object(_ name: ObjectName) throws -> (entry: ObjectEntry, place: ObjectPersistence)? {
        if let entry = try memory.object(name) { return (entry, .memory) }
        return try persistent?.object(name).map { ($0, .persistent) }
    }

    /// A collection with its objects as they are now; in memory as soon as a part of it is.
    ///
    /// A tag speaks of what it came with: with a member that lies elsewhere, and may be another by now, it is left out.
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

    /// Makes changes where they belong.
    func apply(_ changes: [ObjectChange], to persistence: ObjectPersistence) async throws {
        try await storage(persistence).apply(changes)
        guard persistence == .persistent else { return }
        let replaced = changes.compactMap { (change) -> ObjectChange? in
            switch change {
            case .put(let object): .remove(object.name)
            case .putCollection(let name, _, _, _): .removeCollection(name)
            default: nil
            }
        }
        try await memory.apply(replaced)
    }

    /// Removes an object from both.
    func remove(_ name: ObjectName) async throws {
        for storage in all { try await storage.apply([.remove(name)]) }
    }

    /// Removes a collection from both, and its objects unless another collection of either holds them.
    ///
    /// - Returns: false when neither had it.
    func removeCollection(_ name: CollectionName) async throws -> Bool {
        var members: Set<ObjectName> = []
        var isKnown = false
        for storage in all {
            guard let entry = try storage.collection(name) else { continue }
            isKnown = true
            members.formUnion(entry.members)
        }
        var held: Set<ObjectName> = []
        for member in members {
            for storage in all where try storage.collections(holding: member).contains(where: { $0 != name }) {
                held.insert(member)
            }
        }
        for storage in all {
            try await storage.apply([.removeCollectionAndObjects(name, keeping: held)])
            // What this storage keeps of the members of the other's collection.
            let others = try members.subtracting(held).filter { try storage.object($0) != nil }
            if !others.isEmpty { try await storage.apply(others.map { .remove($0) }) }
        }
        return isKnown
    }

    /// Removes all objects and collections of a class from both.
    func removeClass(_ className: String) async throws {
        for storage in all { try await storage.apply([.removeClass(className)]) }
    }
}
