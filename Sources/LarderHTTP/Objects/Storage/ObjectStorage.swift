public import LarderFormat
public import LarderStore

/// A storage of objects and collections: the store, or memory.
///
/// Both store an object once, however many collections hold it, and return the same results after the same changes. The
/// functions of the store throw as `Store.read(_:)` and `Store.write(durability:_:)`, those of memory do not.
public protocol ObjectStorage: Sendable {
    /// Returns an object, and the validators of its own fetch; nil when it is not stored.
    ///
    /// - Throws: the errors of the storage.
    func object(_ name: ObjectName) throws -> ObjectEntry?

    /// Returns a collection; nil when it is not stored.
    ///
    /// - Throws: the errors of the storage.
    func collection(_ name: CollectionName) throws -> CollectionEntry?

    /// Returns the collections that hold an object.
    ///
    /// - Throws: the errors of the storage.
    func collections(containing object: ObjectName) throws -> [CollectionName]

    /// Returns the collections of a class, including those fetched through references.
    ///
    /// - Throws: the errors of the storage.
    func collections(ofClass className: String) throws -> [CollectionName]

    /// Returns the classes of which an object or a collection is stored; the same may come twice.
    ///
    /// - Throws: the errors of the storage.
    func classNames() throws -> [String]

    /// Returns a stream with an element after every change in `region` from now on; one element may stand for several
    /// changes, and other changes may add elements.
    ///
    /// The stream ends with the reading task, and when the storage is closed.
    func changes(in region: Region) -> AsyncStream<Void>

    /// Binds the stored objects to a server before a request to it; does nothing by default.
    ///
    /// - Throws: `ServerMismatch` when objects of another server are stored; the errors of the storage.
    func bind(server: String) async throws

    /// Makes all of the changes that `decide` returns, or none, in their order.
    ///
    /// - Parameter decide: called when no other change of this storage can come between its decision and its changes,
    ///   possibly more than once; must not use the storage.
    /// - Returns: the changes that were made.
    /// - Throws: the errors of the storage, with no change made.
    @discardableResult
    func apply(deciding decide: @escaping @Sendable () -> [ObjectChange]) async throws -> [ObjectChange]
}

extension ObjectStorage {
    /// Does nothing; never throws.
    public func bind(server: String) async throws {}

    /// Makes all of these changes, or none, in their order.
    ///
    /// - Throws: as ``apply(deciding:)``.
    public func apply(_ changes: [ObjectChange]) async throws {
        if changes.isEmpty { return }
        try await apply(deciding: { changes })
    }
}

/// An object as a storage holds it.
public struct ObjectEntry: Hashable, Sendable {
    /// The object.
    public var object: StoredObject
    /// The validators of its own fetch; nil when it was not fetched by itself, or has changed otherwise since.
    public var answer: SingleAnswer?

    /// An entry of these parts.
    public init(object: StoredObject, answer: SingleAnswer?) {
        self.object = object
        self.answer = answer
    }
}

/// A collection as a storage holds it.
public struct CollectionEntry: Hashable, Sendable {
    /// The members, in order.
    public var members: [ObjectName]
    /// The members that this storage holds, by their names.
    public var objects: [ObjectName: StoredObject]
    /// The validators of the response; none once a member has changed otherwise.
    public var validators: Validators
    /// The time at which the server last sent or confirmed it, in milliseconds since 1970-01-01 UTC.
    public var fetchedAt: Int64

    /// An entry of these parts.
    public init(
        members: [ObjectName], objects: [ObjectName: StoredObject], validators: Validators, fetchedAt: Int64
    ) {
        self.members = members
        self.objects = objects
        self.validators = validators
        self.fetchedAt = fetchedAt
    }
}

/// A change of a storage.
public enum ObjectChange: Hashable, Sendable {
    /// Stores an object, in place of the one there.
    ///
    /// With another payload than before, the validators of its own fetch are removed, and those of the collections that
    /// hold it: a server that confirms them would confirm content that is no longer there.
    case put(StoredObject)
    /// Records the validators of an object's own fetch.
    case putSingleAnswer(ObjectName, Validators, at: Int64)
    /// Stores the members of a collection, in place of those before.
    case putCollection(CollectionName, members: [ObjectName], Validators, at: Int64)
    /// Records that the server confirmed a collection; validators that it left out stay.
    case confirmCollection(CollectionName, Validators, at: Int64)
    /// Removes an object; collections continue to hold its name.
    case remove(ObjectName)
    /// Removes a collection; its objects stay.
    case removeCollection(CollectionName)
    /// Removes a collection and its objects, except those that another collection holds, and those in `keeping`.
    case removeCollectionAndObjects(CollectionName, keeping: Set<ObjectName>)
    /// Removes all objects and collections of a class.
    case removeClass(String)
}
