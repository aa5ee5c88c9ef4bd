public import LarderFormat

/// The name of an object: its class and its id, compared byte by byte.
///
/// Objects are rows. The objects of a class are in one resource, whose group is `class:` and the name of the class. No
/// filter can name such a group, so syncing never changes them.
public struct ObjectName: Hashable, Sendable {
    /// The row it is stored as: the type is the class, the key is the id.
    public let row: RowKey

    /// Creates the name of an object.
    ///
    /// - Parameters:
    ///   - className: with `class:` in front, at most `Limits.group` bytes encoded.
    ///   - id: the server's id of the object; with the class, at most `Limits.rowAddress` bytes encoded.
    public init(class className: String, id: String) {
        row = RowKey(resource: Self.resource(ofClass: className), type: className, key: id)
    }

    /// The name of the object that is stored as `row`; nil for a row that is no object.
    public init?(row: RowKey) {
        guard row.resource == Self.resource(ofClass: row.type) else { return nil }
        self.row = row
    }

    /// The class.
    public var className: String { row.type }

    /// The server's id of the object.
    public var id: String { row.key }

    /// Returns the resource that the objects of a class belong to.
    public static func resource(ofClass className: String) -> ResourceKey {
        ResourceKey(ResourceKey.objectsPrefix + className, 0)
    }

    /// Returns the class whose objects belong to a resource; nil for a resource of other rows.
    static func className(of resource: ResourceKey) -> String? {
        let mark = ResourceKey.objectsPrefix.utf8
        guard resource.group.utf8.starts(with: mark), resource.id == 0 else { return nil }
        return String(decoding: resource.group.utf8.dropFirst(mark.count), as: UTF8.self)
    }

    /// Returns the name of the collection of the objects that an attribute refers to.
    ///
    /// - Parameters:
    ///   - attribute: the attribute of this object.
    ///   - className: the class of the objects that it refers to.
    ///   - query: the query to apply to them; empty for all.
    public func references(by attribute: String, toClass className: String, query: String = "") -> CollectionName {
        CollectionName(class: className, query: query, reference: .init(row: row, attribute: attribute))
    }
}

extension ObjectName: CustomStringConvertible {
    /// Class and id, as in `User/7`.
    public var description: String { "\(className)/\(id)" }
}

/// A file or an image: the content of an attribute of an object.
public struct ObjectFile: Hashable, Sendable {
    /// The object it belongs to.
    public var object: ObjectName
    /// The attribute.
    public var attribute: String

    /// Names the file of an attribute.
    public init(of object: ObjectName, attribute: String) {
        self.object = object
        self.attribute = attribute
    }

    /// The key that its content is stored under.
    var key: String { Self.keyPrefix(of: object) + attribute }

    /// The common prefix of the keys of all files.
    static let keyPrefix = "object-file:"

    /// Returns the prefix of the keys of an object's files; the lengths keep one name from being another's beginning.
    static func keyPrefix(of object: ObjectName) -> String {
        keyPrefix + "\(object.className.utf8.count):\(object.className):\(object.id.utf8.count):\(object.id):"
    }

    /// Returns the tag by which all files of a class are removed together.
    static func tag(ofClass className: String) -> String { "object-class:" + className }
}
