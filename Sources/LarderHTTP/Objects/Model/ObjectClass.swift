/// The place where fetched objects are kept.
public enum ObjectPersistence: String, Hashable, Sendable {
    /// In memory, and lost when the program ends.
    case memory
    /// In the store.
    case persistent
}

/// A class of objects, and where its objects are kept unless a request specifies otherwise.
public struct ObjectClass: Hashable, Sendable {
    /// The name of the class, as the server knows it.
    public var name: String
    /// Where its objects, collections and files are kept.
    public var persistence: ObjectPersistence

    /// A class of these parts; in memory by default.
    public init(_ name: String, persistence: ObjectPersistence = .memory) {
        self.name = name
        self.persistence = persistence
    }
}
