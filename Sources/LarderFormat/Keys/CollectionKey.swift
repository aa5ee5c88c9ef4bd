/// A key of the table `collections`, whose first element is one of four kinds.
///
/// FORMAT.md, "collections".
package enum CollectionKey: Hashable, Sendable {
    /// The key of a ``CollectionNumberRecord``: the collection with this class, head of the query and hash.
    case name(className: String, queryPrefix: String, hash: Int64)
    /// The key of a ``CollectionMembershipRecord``: a collection contains a row.
    case membership(row: RowKey, number: Int64)
    /// The key of a ``CollectionRecord``.
    case record(number: Int64)
    /// The key of a ``CollectionChunk``.
    case chunk(number: Int64, chunk: Int64)
    /// The key of a ``RowValidatorsRecord``.
    case validators(row: RowKey)

    /// The first element of a key.
    enum Kind: Int64 {
        case name = 0
        case membership = 1
        case content = 2
        case validators = 3
    }

    /// Reads a key.
    ///
    /// - Throws: ``FormatError/invalidValue(field:value:)`` for an unknown kind or a negative number,
    ///   ``FormatError/trailingBytes(offset:)``; else as ``TupleReader``.
    package init(decoding key: RawSpan) throws(FormatError) {
        var reader = TupleReader(key)
        switch try reader.state("kind", as: Kind.self) {
        case .name:
            let className = try reader.text()
            let queryPrefix = try reader.text()
            self = .name(className: className, queryPrefix: queryPrefix, hash: try reader.integer())
        case .membership:
            let row = try reader.row()
            self = .membership(row: row, number: try reader.count("number"))
        case .content:
            let number = try reader.count("number")
            self = reader.isAtEnd ? .record(number: number) : .chunk(number: number, chunk: try reader.count("chunk"))
        case .validators: self = .validators(row: try reader.row())
        }
        try reader.checkEnd()
    }

    /// Appends the key of a collection's name.
    ///
    /// - Throws: ``FormatError`` as ``CollectionName/checkLimits()``.
    package static func append(
        name: CollectionName, _ texts: KeyTexts, to buffer: inout KeyBuffer
    ) throws(FormatError) {
        try name.checkLimits()
        try buffer.append(integer: Kind.name.rawValue)
        try buffer.append(text: name.className)
        let head = texts.head(of: name)
        try buffer.append(text: head.prefix)
        try buffer.append(integer: head.hash)
    }

    /// Appends the key of the record that a collection contains `row`.
    ///
    /// - Throws: ``FormatError`` as ``RowKeyCoding/checkBudget(resource:type:key:)``.
    package static func append(membershipOf row: RowKey, number: Int64, to buffer: inout KeyBuffer) throws(FormatError)
    {
        try RowKeyCoding.checkBudget(resource: row.resource, type: row.type, key: row.key)
        try buffer.append(integer: Kind.membership.rawValue)
        try buffer.append(row: row)
        try buffer.append(integer: number)
    }

    /// Appends the key of a collection's record.
    ///
    /// - Throws: ``FormatError/keyTooLong(actual:limit:)`` beyond ``Limits/key``.
    package static func append(number: Int64, to buffer: inout KeyBuffer) throws(FormatError) {
        try buffer.append(integer: Kind.content.rawValue)
        try buffer.append(integer: number)
    }

    /// Appends the key of a chunk of a collection.
    ///
    /// - Throws: ``FormatError/keyTooLong(actual:limit:)`` beyond ``Limits/key``.
    package static func append(number: Int64, chunk: Int64, to buffer: inout KeyBuffer) throws(FormatError) {
        try append(number: number, to: &buffer)
        try buffer.append(integer: chunk)
    }

    /// Appends the key of the record of a row that was fetched singly.
    ///
    /// - Throws: ``FormatError`` as ``RowKeyCoding/checkBudget(resource:type:key:)``.
    package static func append(validatorsOf row: RowKey, to buffer: inout KeyBuffer) throws(FormatError) {
        try RowKeyCoding.checkBudget(resource: row.resource, type: row.type, key: row.key)
        try buffer.append(integer: Kind.validators.rawValue)
        try buffer.append(row: row)
    }

    /// Returns the prefix of the names of all collections, or of those of one class.
    package static func prefix(namesOf className: String?) -> [UInt8] {
        var writer = TupleWriter()
        writer.append(integer: Kind.name.rawValue)
        if let className { writer.append(text: className) }
        return writer.bytes
    }

    /// Returns the prefix of the keys of a row's holders.
    package static func prefix(membershipsOf row: RowKey) -> [UInt8] {
        prefix(.membership, row.resource, type: row.type) { $0.append(recordKey: row.key) }
    }

    /// Returns the prefix of the keys of single answers for rows of one type.
    package static func prefix(validatorsOf resource: ResourceKey, type: String) -> [UInt8] {
        prefix(.validators, resource, type: type) { _ in }
    }

    /// Returns the prefix of the keys of single answers for rows of one resource.
    package static func prefix(validatorsOf resource: ResourceKey) -> [UInt8] {
        var writer = TupleWriter()
        writer.append(integer: Kind.validators.rawValue)
        writer.append(resource: resource)
        return writer.bytes
    }

    /// The prefix of the records and the chunks of all collections.
    package static var contents: [UInt8] {
        TupleWriter.bytes { $0.append(integer: Kind.content.rawValue) }
    }

    /// Returns the prefix of the record and the chunks of a collection.
    package static func prefix(number: Int64) -> [UInt8] {
        var writer = TupleWriter()
        writer.append(integer: Kind.content.rawValue)
        writer.append(integer: number)
        return writer.bytes
    }

    private static func prefix(
        _ kind: Kind, _ resource: ResourceKey, type: String, _ more: (inout TupleWriter) -> Void
    ) -> [UInt8] {
        var writer = TupleWriter()
        writer.append(integer: kind.rawValue)
        writer.append(resource: resource)
        writer.append(text: type)
        more(&writer)
        return writer.bytes
    }
}

extension KeyBuffer {
    fileprivate mutating func append(row: RowKey) throws(FormatError) {
        try append(resource: row.resource)
        try append(text: row.type)
        try append(recordKey: row.key)
    }
}
