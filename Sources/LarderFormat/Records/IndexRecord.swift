/// How far a secondary index is, by its number in FORMAT.md, "indexes".
public enum IndexState: Int64, Hashable, Sendable, CaseIterable {
    /// Rows that were there before it are still being read; queries do without it.
    case building = 0
    /// Whole.
    case ready = 1
}

/// A record of `indexes` that declares an index: whose rows it is over, and which value of them it sorts.
///
/// FORMAT.md, "indexes". Key: ("index", number).
package struct IndexRecord: TupleRecord, Hashable, Sendable {
    /// The name; no other index has it.
    package var name = ""
    /// The group of the resources.
    package var group = ""
    /// The one resource of the group, or nil for all of them.
    package var id: Int64?
    /// The type of the rows.
    package var type = ""
    /// Where the value lies in a JSON payload.
    package var path = ""
    /// How texts are compared.
    package var collation = IndexCollation.binary
    /// How far it is.
    package var state = IndexState.building

    package init() {}

    /// A declared index without entries.
    package init(name: String, group: String, id: Int64?, type: String, path: String, collation: IndexCollation) {
        self.name = name
        self.group = group
        self.id = id
        self.type = type
        self.path = path
        self.collation = collation
    }

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.text(&name)
        coder.text(&group)
        coder.integer(&id)
        coder.text(&type)
        coder.text(&path)
        coder.state("collation", &collation)
        coder.state("state", &state)
    }

    /// Whether the index is over rows of `resource`.
    package func covers(_ resource: ResourceKey) -> Bool {
        group.equalsBytewise(resource.group) && (id == nil || id == resource.id)
    }

    /// Appends the key of a declared index.
    package static func appendKey(_ number: Int64, to buffer: inout KeyBuffer) throws(FormatError) {
        guard (1...Limits.indexNumber).contains(number) else { throw .invalidValue(field: "index", value: number) }
        try buffer.append(text: IndexKey.declarationWord)
        try buffer.append(integer: number)
    }

    /// The bytes that the keys of all declared indexes begin with.
    package static let prefix = TupleWriter.bytes { $0.append(text: IndexKey.declarationWord) }
}
