/// A record of `indexes` that declares an index: whose rows it is over, and which value of them it sorts.
///
/// FORMAT.md, "indexes". Key: ("index", number).
package struct IndexRecord: Hashable, Sendable {
    /// What the index is good for.
    package enum State: Int64, Sendable, CaseIterable {
        /// Kept up to date; entries of older rows are still being added.
        case building = 0
        /// Whole.
        case ready = 1
    }

    /// The name; no other index has it.
    package var name: String
    /// The group of the resources.
    package var group: String
    /// The one resource of the group, or nil for all of them.
    package var id: Int64?
    /// The type of the rows.
    package var type: String
    /// Where the value lies in a JSON payload.
    package var path: String
    /// How texts are compared.
    package var collation: IndexCollation
    /// What the index is good for.
    package var state: State

    /// A declared index without entries.
    package init(name: String, group: String, id: Int64?, type: String, path: String, collation: IndexCollation) {
        self.name = name
        self.group = group
        self.id = id
        self.type = type
        self.path = path
        self.collation = collation
        state = .building
    }

    /// Reads a body.
    package init(decoding body: RawSpan) throws(FormatError) {
        var reader = TupleReader(body)
        name = try reader.text()
        group = try reader.text()
        id = try reader.optionalInteger()
        type = try reader.text()
        path = try reader.text()
        collation = try reader.state("collation", as: IndexCollation.self)
        state = try reader.state("state", as: State.self)
    }

    /// The body.
    package func encode() -> [UInt8] {
        var writer = TupleWriter()
        writer.append(text: name)
        writer.append(text: group)
        writer.append(optionalInteger: id)
        writer.append(text: type)
        writer.append(text: path)
        writer.append(integer: collation.rawValue)
        writer.append(integer: state.rawValue)
        return writer.bytes
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
    package static let prefix: [UInt8] = {
        var writer = TupleWriter()
        writer.append(text: IndexKey.declarationWord)
        return writer.bytes
    }()
}
