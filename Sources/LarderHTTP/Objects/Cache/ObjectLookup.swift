internal import LarderFormat
internal import LarderStore

/// A lookup, and the meaning of its responses for what is stored.
protocol ObjectLookup: Sendable {
    associatedtype Value: Sendable

    var query: ObjectQuery { get }
    var className: String { get }

    /// Returns the stored value of it.
    func storedValue(in storage: TieredObjectStorage) throws -> StoredValue<Value>?
    /// Returns the value of the server's response.
    func value(of received: [StoredObject]) throws(HTTPCacheError) -> Value
    /// Returns the changes that store the server's response, beside its objects.
    func storingChanges(_ received: [StoredObject], _ validators: Validators, at time: Int64) -> [ObjectChange]
    /// Returns the changes that record the server's confirmation of the stored value.
    func confirmingChanges(_ validators: Validators, at time: Int64) -> [ObjectChange]
}

/// The stored value of a lookup.
struct StoredValue<Value: Sendable>: Sendable {
    var value: Value
    /// The objects of the value as they are stored.
    var objects: [StoredObject]
    var validators: Validators
    /// The time at which the server last sent or confirmed it; nil when it came with another response.
    var fetchedAt: Int64?
    /// The time since which it may differ from the server's, for display.
    var since: Int64
    var isComplete: Bool
    /// The place of the whole: memory as soon as a part of it is there.
    var persistence: ObjectPersistence
}

struct SingleObjectLookup: ObjectLookup {
    /// The server sent another number of objects than one, or another object.
    struct UnexpectedObject: Error {}

    let name: ObjectName

    var query: ObjectQuery { .object(name) }
    var className: String { name.className }

    func storedValue(in storage: TieredObjectStorage) throws -> StoredValue<StoredObject>? {
        guard let (entry, place) = try storage.object(name) else { return nil }
        return StoredValue(
            value: entry.object, objects: [entry.object], validators: entry.answer?.validators ?? Validators(),
            fetchedAt: entry.answer?.fetchedAt, since: entry.answer?.fetchedAt ?? entry.object.updatedAt,
            isComplete: true, persistence: place)
    }

    func value(of received: [StoredObject]) throws(HTTPCacheError) -> StoredObject {
        guard received.count == 1, received[0].name == name else { throw .parse(UnexpectedObject()) }
        return received[0]
    }

    func storingChanges(_ received: [StoredObject], _ validators: Validators, at time: Int64) -> [ObjectChange] {
        [.putSingleAnswer(name, validators, at: time)]
    }

    func confirmingChanges(_ validators: Validators, at time: Int64) -> [ObjectChange] {
        [.putSingleAnswer(name, validators, at: time)]
    }
}

struct CollectionLookup: ObjectLookup {
    let name: CollectionName
    let membership: ObjectMembership

    var query: ObjectQuery { .collection(name) }
    var className: String { name.className }

    func storedValue(in storage: TieredObjectStorage) throws -> StoredValue<ObjectCollection>? {
        guard let (entry, place) = try storage.collection(name) else { return nil }
        let objects = entry.members.compactMap { entry.objects[$0] }
        let missing = entry.members.filter { entry.objects[$0] == nil }
        let shown = objects.filter(membership.includes)
        return StoredValue(
            value: ObjectCollection(name: name, objects: shown, missing: missing), objects: objects,
            validators: entry.validators, fetchedAt: entry.fetchedAt, since: entry.fetchedAt,
            isComplete: missing.isEmpty, persistence: place)
    }

    func value(of received: [StoredObject]) -> ObjectCollection {
        ObjectCollection(name: name, objects: received)
    }

    func storingChanges(_ received: [StoredObject], _ validators: Validators, at time: Int64) -> [ObjectChange] {
        [.putCollection(name, members: received.map(\.name), validators, at: time)]
    }

    func confirmingChanges(_ validators: Validators, at time: Int64) -> [ObjectChange] {
        [.confirmCollection(name, validators, at: time)]
    }
}
