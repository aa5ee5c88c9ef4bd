/// The name of a resource: a group and a number in it.
///
/// Groups are compared, hashed and ordered by their UTF-8 bytes: two canonically equivalent spellings are two
/// groups, here as on disk. FORMAT.md, "Text".
///
/// ```swift
/// let resource = ResourceKey("translations", 19)  // a group, and a number within it
/// let known = try store.read { view in try view.resource(resource) }
/// print(resource, known?.rowCount ?? 0)
/// ```
public struct ResourceKey: Hashable, Sendable {
    /// The group; its encoding is at most ``Limits/group`` bytes.
    public var group: String
    /// The number within the group.
    public var id: Int64

    /// The beginning of the groups of keyed objects: the group of a class is this and the name of the class.
    package static let objectsPrefix = "class:"

    /// Whether the resource is the library's own: the rows of a class of objects, or the results of keyed queries.
    package var isReserved: Bool {
        group.utf8.starts(with: Self.objectsPrefix.utf8) || group.utf8.first == UInt8(ascii: ":")
    }

    /// Names a resource.
    public init(_ group: String, _ id: Int64) {
        self.group = group
        self.id = id
    }

    /// Whether both name the same bytes.
    public static func == (left: ResourceKey, right: ResourceKey) -> Bool {
        left.id == right.id && left.group.equalsBytewise(right.group)
    }

    /// Feeds the bytes of the group, then the number, to `hasher`.
    public func hash(into hasher: inout Hasher) {
        group.hashBytewise(into: &hasher)
        hasher.combine(id)
    }
}

extension ResourceKey: Comparable {
    /// The order of the encoded keys: by group, bytewise, then by number.
    public static func < (left: ResourceKey, right: ResourceKey) -> Bool {
        if left.group.equalsBytewise(right.group) { return left.id < right.id }
        return left.group.precedesBytewise(right.group)
    }
}

extension ResourceKey: CustomStringConvertible {
    /// The group and the number, as in `Articles/7`.
    public var description: String { "\(group)/\(id)" }
}

extension ResourceKey: LosslessStringConvertible {
    /// Reads the group and the number from a text such as `translations/10`; nil when there is no group or no number
    /// in its canonical form.
    ///
    /// The last slash separates them, so that a group may contain slashes.
    public init?(_ description: String) {
        guard let slash = description.lastIndex(of: "/"), slash > description.startIndex,
            let id = Int64(description[description.index(after: slash)...]), description.hasSuffix("/\(id)")
        else { return nil }
        self.init(String(description[..<slash]), id)
    }
}

extension ResourceKey: ExpressibleByStringLiteral {
    /// Names a resource in the program: `"translations/10"`.
    ///
    /// - Precondition: The text has a group and a number; for text from outside there is ``init(_:)``.
    public init(stringLiteral text: String) {
        guard let key = ResourceKey(text) else { preconditionFailure("\(text) names no resource: group/number") }
        self = key
    }
}
