/// The progress of a secondary index, by its number in FORMAT.md, "indexes".
public enum IndexState: Int64, Hashable, Sendable, CaseIterable {
    /// Existing rows are still being read; queries do not use the index.
    case building = 0
    /// The index is complete.
    case ready = 1
}

/// A record of `indexes` that declares an index: its rows, and the value of them that it sorts.
///
/// FORMAT.md, "indexes". Key: ("index", number).
package struct IndexRecord: TupleRecord, Hashable, Sendable {
    /// The name, which is unique among indexes.
    package var name = ""
    /// The group of the resources.
    package var group = ""
    /// The one resource of the group, or nil for all of them.
    package var id: Int64?
    /// The type of the rows.
    package var type = ""
    /// The path of the value in a JSON payload.
    package var path = ""
    /// The comparison of texts.
    package var collation = IndexCollation.binary
    /// The progress of the index.
    package var state = IndexState.building

    package init() {}

    /// Creates a declared index without entries.
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

    /// Whether the index includes rows of `resource`.
    package func covers(_ resource: ResourceKey) -> Bool {
        group.equalsBytewise(resource.group) && (id == nil || id == resource.id)
    }

    /// Appends the key of a declared index.
    ///
    /// - Throws: ``FormatError/invalidValue(field:value:)`` for a number that is not 1 to ``Limits/indexNumber``;
    ///   ``FormatError/keyTooLong(actual:limit:)`` beyond ``Limits/key``.
    package static func appendKey(_ number: Int64, to buffer: inout KeyBuffer) throws(FormatError) {
        guard (1...Limits.indexNumber).contains(number) else { throw .invalidValue(field: "index", value: number) }
        try buffer.append(text: IndexKey.declarationPrefix)
        try buffer.append(integer: number)
    }

    /// The prefix of the keys of all declared indexes.
    package static let prefix = TupleWriter.bytes { $0.append(text: IndexKey.declarationPrefix) }
}
