internal import LarderFormat
internal import LarderStore

/// The content of a ``MemoryObjectStorage``.
struct MemoryObjects: Sendable {
    struct Stored {
        var entry: ObjectEntry
        /// The count of uses when it was last put or read.
        var usedAt: UInt64
    }

    struct Collection {
        var members: [ObjectName]
        var validators: Validators
        var fetchedAt: Int64

        var cost: Int { MemoryObjects.overhead + members.count * MemoryObjects.memberCost }
    }

    /// The approximate size of an object or a collection beside its payload, and of a member of a collection, in bytes.
    private static let overhead = 128
    private static let memberCost = 64

    private(set) var objects: [ObjectName: Stored] = [:]
    private(set) var collections: [CollectionName: Collection] = [:]
    private(set) var collectionsByMember: [ObjectName: Set<CollectionName>] = [:]
    private let limit: Int
    private var cost = 0
    private var uses: UInt64 = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// Records a use of an object.
    mutating func recordUse(_ name: ObjectName) {
        uses += 1
        objects[name]?.usedAt = uses
    }

    func collections(ofClass className: String) -> [CollectionName] {
        // Compared by their bytes, as everywhere.
        let wanted = CollectionName(class: className)
        return collections.keys.filter { CollectionName(class: $0.className) == wanted }
    }

    /// The classes, each as often as it has objects and collections.
    var classNames: [String] { objects.keys.map(\.className) + collections.keys.map(\.className) }

    /// Makes a change.
    mutating func apply(_ change: ObjectChange) {
        switch change {
        case .put(let object): put(object)
        case .putSingleAnswer(let name, let validators, let time):
            objects[name]?.entry.answer = SingleAnswer(validators: validators, fetchedAt: time)
        case .putCollection(let name, let members, let validators, let time):
            removeCollection(name)
            let collection = Collection(members: members, validators: validators, fetchedAt: time)
            collections[name] = collection
            cost += collection.cost
            for member in members { collectionsByMember[member, default: []].insert(name) }
        case .confirmCollection(let name, let validators, let time):
            guard let before = collections[name]?.validators else { return }
            collections[name]?.validators = Validators(
                entityTag: validators.entityTag ?? before.entityTag,
                lastModified: validators.lastModified ?? before.lastModified)
            collections[name]?.fetchedAt = time
        case .remove(let name): remove(name)
        case .removeCollection(let name): removeCollection(name)
        case .removeCollectionAndObjects(let name, let keeping):
            for member in Set(removeCollection(name))
            where collectionsByMember[member] == nil && !keeping.contains(member) {
                remove(member)
            }
        case .removeClass(let className):
            for name in collections(ofClass: className) { removeCollection(name) }
            let resource = ObjectName.resource(ofClass: className)
            for name in objects.keys.filter({ $0.row.resource == resource }) { remove(name) }
        }
    }

    /// Drops what was used longest ago until the size is a tenth below the limit; does nothing within the limit.
    mutating func evictOldest() {
        guard cost > limit else { return }
        let target = limit - limit / 10
        for (name, _) in objects.sorted(by: { $0.value.usedAt < $1.value.usedAt }) {
            if cost <= target { return }
            remove(name)
        }
        for (name, _) in collections.sorted(by: { $0.value.fetchedAt < $1.value.fetchedAt }) {
            if cost <= target { return }
            removeCollection(name)
        }
    }

    private mutating func put(_ object: StoredObject) {
        let before = objects[object.name]?.entry
        let isSame = before?.object.payload == object.payload
        uses += 1
        cost += object.payload.count - (before.map { $0.object.payload.count } ?? -Self.overhead)
        objects[object.name] = Stored(
            entry: ObjectEntry(object: object, answer: isSame ? before?.answer : nil), usedAt: uses)
        if isSame { return }
        for holder in collectionsByMember[object.name] ?? [] { collections[holder]?.validators = Validators() }
    }

    private mutating func remove(_ name: ObjectName) {
        guard let stored = objects.removeValue(forKey: name) else { return }
        cost -= stored.entry.object.payload.count + Self.overhead
    }

    @discardableResult
    private mutating func removeCollection(_ name: CollectionName) -> [ObjectName] {
        guard let collection = collections.removeValue(forKey: name) else { return [] }
        cost -= collection.cost
        for member in collection.members {
            collectionsByMember[member]?.remove(name)
            if collectionsByMember[member]?.isEmpty == true { collectionsByMember[member] = nil }
        }
        return collection.members
    }
}
