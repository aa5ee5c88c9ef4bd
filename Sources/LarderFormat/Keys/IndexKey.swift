/// A key of the table `indexes`, which contains declared indexes and, after them, their entries.
package enum IndexKey: Hashable, Sendable {
    /// The key of an ``IndexRecord``.
    case declaration(number: Int64)
    /// The key of an entry: a row has this value.
    case entry(IndexEntryKey)

    /// The text that the key of a declaration begins with.
    static let declarationPrefix = "index"

    /// Reads a key.
    ///
    /// - Throws: ``FormatError/invalidValue(field:value:)`` for a declaration with another word or a number beyond
    ///   ``Limits/indexNumber``, ``FormatError/trailingBytes(offset:)``; else as ``TupleReader`` and
    ///   ``IndexEntryKey/init(decoding:)``.
    package init(decoding key: RawSpan) throws(FormatError) {
        guard key.byte(at: 0) == TupleCode.text else {
            self = .entry(try IndexEntryKey(decoding: key))
            return
        }
        var reader = TupleReader(key)
        guard try reader.text().equalsBytewise(Self.declarationPrefix) else {
            throw .invalidValue(field: "index", value: 0)
        }
        let number = try reader.integer()
        guard (1...Limits.indexNumber).contains(number) else { throw .invalidValue(field: "index", value: number) }
        self = .declaration(number: number)
        try reader.checkEnd()
    }
}

/// The key of an index entry: the scope of its rows, the index, the value and the row.
///
/// FORMAT.md, "indexes".
package struct IndexEntryKey: Hashable, Sendable {
    /// The rows that an entry is from.
    package enum Scope: Hashable, Sendable {
        /// The server's rows in a generation; generation numbers begin at 1.
        case generation(Int64)
        /// The rows of a resource that have overlays, as readers see them.
        case overlaid(ResourceKey)
    }

    /// The row of the scope that an entry is of.
    package enum Address: Hashable, Sendable {
        /// The type and key of the row.
        case row(type: String, key: String)
        /// A hash of type and key, which are in the body because they did not fit.
        case hash(UUIDBytes)
    }

    /// The scope of the row.
    package var scope: Scope
    /// The number of the index.
    package var index: Int64
    /// The value.
    package var term: IndexTerm
    /// The row.
    package var address: Address

    /// Reads a key.
    ///
    /// - Throws: ``FormatError`` as ``TupleReader`` and ``IndexTerm/init(from:)``;
    ///   ``FormatError/trailingBytes(offset:)``.
    package init(decoding key: RawSpan) throws(FormatError) {
        var reader = TupleReader(key)
        let generation = try reader.integer()
        index = try reader.integer()
        scope = generation == 0 ? .overlaid(try reader.resource()) : .generation(generation)
        term = try IndexTerm(from: &reader)
        if !reader.isAtEnd, key.byte(at: reader.offset) == TupleCode.uuid {
            address = .hash(try reader.uuid())
        } else {
            let type = try reader.text()
            address = .row(type: type, key: try reader.recordKey())
        }
        try reader.checkEnd()
    }

    /// Replaces the content of `buffer` by the key of an entry, and returns the entry's body.
    ///
    /// - Throws: ``FormatError/invalidValue(field:value:)`` for an index beyond ``Limits/indexNumber``. A row whose
    ///   address fits ``Limits/rowAddress`` always has a key.
    package static func encode(
        _ scope: Scope, index: Int64, term: IndexTerm, type: String, key: String, to buffer: inout KeyBuffer
    ) throws(FormatError) -> [UInt8] {
        guard (1...Limits.indexNumber).contains(index) else { throw .invalidValue(field: "index", value: index) }
        buffer.removeAll()
        switch scope {
        case .generation(let number):
            try buffer.append(integer: number)
            try buffer.append(integer: index)
        case .overlaid(let resource):
            try buffer.append(integer: 0)
            try buffer.append(integer: index)
            try buffer.append(resource: resource)
        }
        return try appendPosition(term, type: type, key: key, to: &buffer)
    }

    /// Appends the part of a key that places the entry in its scope, and returns the body.
    ///
    /// - Throws: ``FormatError/keyTooLong(actual:limit:)`` beyond ``Limits/key``.
    package static func appendPosition(
        _ term: IndexTerm, type: String, key: String, to buffer: inout KeyBuffer
    ) throws(FormatError) -> [UInt8] {
        let start = buffer.count
        try term.append(to: &buffer)
        let end = buffer.count
        do throws(FormatError) {
            try buffer.append(text: type)
            try buffer.append(recordKey: key)
            // The limit is the same in every scope, so that entries of all scopes sort alike.
            if buffer.count - start <= Limits.indexAddress { return [] }
        } catch {}
        buffer.truncate(to: end)
        var address = TupleWriter()
        address.append(text: type)
        address.append(recordKey: key)
        try buffer.append(uuid: hash(ofAddress: address.bytes.rawSpan))
        return address.bytes
    }

    /// Returns the element that replaces a type and key that do not fit.
    package static func hash(ofAddress address: RawSpan) -> UUIDBytes {
        UUIDBytes(high: address.xxh64(seed: 0), low: address.xxh64(seed: 1))
    }

    /// Reads the type and key from a body.
    ///
    /// - Throws: ``FormatError`` as ``TupleReader``.
    package static func decodeAddress(_ body: RawSpan) throws(FormatError) -> (type: String, key: String) {
        var reader = TupleReader(body)
        let type = try reader.text()
        return (type, try reader.recordKey())
    }

    /// Returns the prefix of the keys of a generation, or of one index in it; generation 0 stands for all overlaid
    /// rows.
    package static func prefix(generation: Int64, index: Int64? = nil) -> [UInt8] {
        var writer = TupleWriter()
        writer.append(integer: generation)
        if let index { writer.append(integer: index) }
        return writer.bytes
    }

    /// Returns the prefix of the keys of one index in a scope.
    package static func prefix(_ scope: Scope, index: Int64) -> [UInt8] {
        switch scope {
        case .generation(let number): return prefix(generation: number, index: index)
        case .overlaid(let resource):
            var writer = TupleWriter()
            writer.append(integer: 0)
            writer.append(integer: index)
            writer.append(resource: resource)
            return writer.bytes
        }
    }
}
