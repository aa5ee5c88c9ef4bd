internal import LarderFormat
internal import LarderStore

/// A question, and what its answers mean for what is kept.
protocol ObjectInquiring: Sendable {
    associatedtype Value: Sendable

    var question: ObjectQuestion { get }
    var className: String { get }

    /// What is kept in answer to it.
    func kept(in shelves: ObjectShelves) throws -> KeptAnswer<Value>?
    /// The server's answer.
    func value(of received: [StoredObject]) throws(HTTPCacheError) -> Value
    /// What keeps the server's answer, beside its objects.
    func record(_ received: [StoredObject], _ validators: Validators, at time: Int64) -> [ObjectChange]
    /// What notes that the server confirmed what is kept.
    func confirm(_ validators: Validators, at time: Int64) -> [ObjectChange]
}

/// What is kept in answer to a question.
struct KeptAnswer<Value: Sendable>: Sendable {
    var value: Value
    /// The objects of the answer as they are kept.
    var objects: [StoredObject]
    var validators: Validators
    /// When the server last sent or confirmed it; nil when it came with another answer.
    var fetchedAt: Int64?
    /// Since when it may differ from the server's, for people.
    var since: Int64
    var isComplete: Bool
    /// Where all of it lies: in memory as soon as a part of it does.
    var place: ObjectPersistence
}

struct ObjectInquiry: ObjectInquiring {
    /// The server answered with another number of objects than one, or with another object.
    struct NotTheObject: Error {}

    let name: ObjectName

    var question: ObjectQuestion { .object(name) }
    var className: String { name.className }

    func kept(in shelves: ObjectShelves) throws -> KeptAnswer<StoredObject>? {
        guard let (entry, place) = try shelves.object(name) else { return nil }
        return KeptAnswer(
            value: entry.object, objects: [entry.object], validators: entry.answer?.validators ?? Validators(),
            fetchedAt: entry.answer?.fetchedAt, since: entry.answer?.fetchedAt ?? entry.object.updatedAt,
            isComplete: true, place: place)
    }

    func value(of received: [StoredObject]) throws(HTTPCacheError) -> StoredObject {
        guard received.count == 1, received[0].name == name else { throw .parse(NotTheObject()) }
        return received[0]
    }

    func record(_ received: [StoredObject], _ validators: Validators, at time: Int64) -> [ObjectChange] {
        [.noteSingle(name, validators, at: time)]
    }

    func confirm(_ validators: Validators, at time: Int64) -> [ObjectChange] {
        [.noteSingle(name, validators, at: time)]
    }
}

struct CollectionInquiry: ObjectInquiring {
    let name: CollectionName
    let membership: ObjectMembership

    var question: ObjectQuestion { .collection(name) }
    var className: String { name.className }

    func kept(in shelves: ObjectShelves) throws -> KeptAnswer<ObjectCollection>? {
        guard let (entry, place) = try shelves.collection(name) else { return nil }
        let objects = entry.members.compactMap { entry.objects[$0] }
        let missing = entry.members.filter { entry.objects[$0] == nil }
        let shown = objects.filter(membership.shows)
        return KeptAnswer(
            value: ObjectCollection(name: name, objects: shown, missing: missing), objects: objects,
            validators: entry.validators, fetchedAt: entry.fetchedAt, since: entry.fetchedAt,
            isComplete: missing.isEmpty, place: place)
    }

    func value(of received: [StoredObject]) -> ObjectCollection {
        ObjectCollection(name: name, objects: received)
    }

    func record(_ received: [StoredObject], _ validators: Validators, at time: Int64) -> [ObjectChange] {
        [.putCollection(name, members: received.map(\.name), validators, at: time)]
    }

    func confirm(_ validators: Validators, at time: Int64) -> [ObjectChange] {
        [.confirmCollection(name, validators, at: time)]
    }
}
