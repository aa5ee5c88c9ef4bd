public import LarderFormat
public import LarderStore

/// Where objects and collections are kept: the store, or memory.
///
/// Both keep an object once, however many collections hold it, and tell the same answers after the same changes.
public protocol ObjectStorage: Sendable {
    /// An object, and how it was fetched by itself; nil when it is not kept.
    func object(_ name: ObjectName) throws -> ObjectEntry?

    /// A collection; nil when it is not kept.
    func collection(_ name: CollectionName) throws -> CollectionEntry?

    /// The collections that hold an object.
    func collections(holding object: ObjectName) throws -> [CollectionName]

    /// The collections of a class, those fetched through references among them.
    func collections(ofClass className: String) throws -> [CollectionName]

    /// The classes of which an object or a collection is kept; the same may come twice.
    func classNames() throws -> [String]

    /// An element after every change in `region` from now on, or after some that are newer; others may come too.
    ///
    /// Ends with the reading task, and when the storage is closed.
    func changes(in region: Region) -> AsyncStream<Void>

    /// Binds what is kept to a server that is about to be asked; does nothing by default.
    ///
    /// - Throws: `ServerMismatch` where something is kept that is of another.
    func use(server: String) async throws

    /// Makes all of the changes that `decide` returns, or none, in their order.
    ///
    /// - Parameter decide: called when no other change of this storage can come between its decision and its changes,
    ///   possibly more than once; must not use the storage.
    /// - Returns: the changes that were made.
    @discardableResult
    func apply(deciding decide: @escaping @Sendable () -> [ObjectChange]) async throws -> [ObjectChange]
}

extension ObjectStorage {
    /// Does nothing.
    public func use(server: String) async throws {}

    /// Makes all of these changes, or none, in their order.
    public func apply(_ changes: [ObjectChange]) async throws {
        if changes.isEmpty { return }
        try await apply(deciding: { changes })
    }
}

/// An object as a storage keeps it.
public struct ObjectEntry: Hashable, Sendable {
    /// The object.
    public var object: StoredObject
    /// How it was fetched by itself; nil when it was not, or has changed otherwise since.
    public var answer: SingleAnswer?

    /// An entry of these parts.
    public init(object: StoredObject, answer: SingleAnswer?) {
        self.object = object
        self.answer = answer
    }
}

/// A collection as a storage keeps it.
public struct CollectionEntry: Hashable, Sendable {
    /// What it holds, in order.
    public var members: [ObjectName]
    /// Those of its members that this storage keeps.
    public var objects: [ObjectName: StoredObject]
    /// What the server recognises the answer by; none once a member has changed otherwise.
    public var validators: Validators
    /// When the server last sent or confirmed it, in milliseconds since 1970-01-01 UTC.
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

/// A change of what a storage keeps.
public enum ObjectChange: Hashable, Sendable {
    /// Keeps an object, in place of the one there.
    ///
    /// With another payload than before, how it was fetched by itself is forgotten, and the validators of the collections
    /// that hold it: a server that confirms them would confirm what is not there any more.
    case put(StoredObject)
    /// Notes how an object was fetched by itself.
    case noteSingle(ObjectName, Validators, at: Int64)
    /// Keeps what a collection holds, in place of what it held.
    case putCollection(CollectionName, members: [ObjectName], Validators, at: Int64)
    /// Notes that the server confirmed a collection; validators that it left out stay.
    case confirmCollection(CollectionName, Validators, at: Int64)
    /// Removes an object; collections go on to hold it.
    case remove(ObjectName)
    /// Removes a collection; its objects stay.
    case removeCollection(CollectionName)
    /// Removes a collection and its objects, but those that another collection holds, and those in `keeping`.
    case removeCollectionAndObjects(CollectionName, keeping: Set<ObjectName>)
    /// Removes all objects and collections of a class.
    case removeClass(String)
}
