public import LarderFormat
public import LarderJSON

/// A secondary index that the app declares: the rows of one type, sorted by one value of their JSON payloads.
///
/// Rows whose payload lacks the value, is not JSON or has another codec have an entry with the value null. A
/// transaction that changes single rows updates their entries. The entries of a snapshot are written before its swap,
/// and become visible with it.
public struct IndexDefinition: Hashable, Sendable {
    /// The name, unique in the store.
    public var name: String
    /// The group of the resources whose rows are in it.
    public var group: String
    /// The one resource of the group, or nil for all of them.
    public var id: Int64?
    /// The type of the rows.
    public var type: String
    /// The path of the value in a payload.
    public var path: JSONPath
    /// The comparison of texts.
    public var collation: IndexCollation

    /// An index over all resources of a group, or with `id` over one of them.
    public init(
        name: String, group: String, id: Int64? = nil, type: String, path: JSONPath,
        collation: IndexCollation = .binary
    ) {
        self.name = name
        self.group = group
        self.id = id
        self.type = type
        self.path = path
        self.collation = collation
    }
}

extension IndexDefinition {
    /// Whether two definitions are the same, with texts compared by their UTF-8, as everything stored is.
    public static func == (left: IndexDefinition, right: IndexDefinition) -> Bool {
        left.name.equalsBytewise(right.name) && left.group.equalsBytewise(right.group) && left.id == right.id
            && left.type.equalsBytewise(right.type) && left.path == right.path && left.collation == right.collation
    }

    /// Feeds the name to `hasher`, which is unique in a store.
    public func hash(into hasher: inout Hasher) { name.hashBytewise(into: &hasher) }
}

/// An index as the store has it.
public struct SecondaryIndex: Hashable, Sendable {
    /// The number, never used twice.
    public let number: Int64
    /// The definition, as it was declared.
    public let definition: IndexDefinition
    /// The state of its build.
    public let state: IndexState

    /// Nil when the path in the record is invalid.
    init?(number: Int64, _ record: IndexRecord) {
        guard let path = JSONPath(record.path) else { return nil }
        self.number = number
        definition = IndexDefinition(
            name: record.name, group: record.group, id: record.id, type: record.type, path: path,
            collation: record.collation)
        state = record.state
    }

    /// Whether rows of `resource` are in it.
    public func covers(_ resource: ResourceKey) -> Bool { record(.ready).covers(resource) }

    func record(_ state: IndexState) -> IndexRecord {
        var record = IndexRecord(
            name: definition.name, group: definition.group, id: definition.id, type: definition.type,
            path: definition.path.text, collation: definition.collation)
        record.state = state
        return record
    }
}
