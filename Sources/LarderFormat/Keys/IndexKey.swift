/// A key of the table `indexes`, which holds declared indexes and, after them, their entries.
package enum IndexKey: Hashable, Sendable {
    /// An ``IndexRecord`` stands here.
    case declaration(number: Int64)
    /// A row has this value.
    case entry(IndexEntryKey)

    /// The text that the key of a declaration begins with.
    static let declarationWord = "index"

    /// Reads a key.
    package init(decoding key: RawSpan) throws(FormatError) {
        guard key.byte(at: 0) == TupleCode.text else {
            self = .entry(try IndexEntryKey(decoding: key))
            return
        }
        var reader = TupleReader(key)
        guard try reader.text().equalsBytewise(Self.declarationWord) else {
            throw .invalidValue(field: "index", value: 0)
        }
        let number = try reader.integer()
        guard (1...Limits.indexNumber).contains(number) else { throw .invalidValue(field: "index", value: number) }
        self = .declaration(number: number)
        try reader.end()
    }
}

/// The key of an index entry: of whose rows, under which index, which value, which row.
///
/// FORMAT.md, "indexes".
package struct IndexEntryKey: Hashable, Sendable {
    /// Whose rows.
    package enum Scope: Hashable, Sendable {
        /// Those of the server in a generation, whose numbers begin at 1.
        case generation(Int64)
        /// What readers see of the rows of a resource that local writes lie over.
        case overlaid(ResourceKey)
    }

    /// Which row of the scope.
    package enum Address: Hashable, Sendable {
        /// By its type and key.
        case row(type: String, key: String)
        /// By a hash of both, which stand in the body because they did not fit.
        case hash(UUIDBytes)
    }

    /// Whose row it is.
    package var scope: Scope
    /// The number of the index.
    package var index: Int64
    /// The value.
    package var term: IndexTerm
    /// The row.
    package var address: Address

    /// Reads a key.
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
        try reader.end()
    }

    /// Replaces `buffer` by the key of an entry, and answers its body.
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
        return try appendPlace(term, type: type, key: key, to: &buffer)
    }

    /// Appends the part of a key that tells where the entry stands in its scope, and answers the body.
    package static func appendPlace(
        _ term: IndexTerm, type: String, key: String, to buffer: inout KeyBuffer
    ) throws(FormatError) -> [UInt8] {
        let start = buffer.count
        try term.append(to: &buffer)
        let end = buffer.count
        do throws(FormatError) {
            try buffer.append(text: type)
            try buffer.append(recordKey: key)
            // The same in every scope, so that entries of all of them sort alike.
            if buffer.count - start <= Limits.indexAddress { return [] }
        } catch {}
        buffer.truncate(to: end)
        var address = TupleWriter()
        address.append(text: type)
        address.append(recordKey: key)
        try buffer.append(uuid: hash(ofAddress: address.bytes.rawSpan))
        return address.bytes
    }

    /// What stands in a key in place of a type and key that do not fit.
    package static func hash(ofAddress address: RawSpan) -> UUIDBytes {
        UUIDBytes(high: address.xxh64(seed: 0), low: address.xxh64(seed: 1))
    }

    /// Reads the type and key out of a body.
    package static func decodeAddress(_ body: RawSpan) throws(FormatError) -> (type: String, key: String) {
        var reader = TupleReader(body)
        let type = try reader.text()
        return (type, try reader.recordKey())
    }

    /// The bytes that the keys of a generation begin with, or those of one index in it; 0: of all overlaid rows.
    package static func prefix(generation: Int64, index: Int64? = nil) -> [UInt8] {
        var writer = TupleWriter()
        writer.append(integer: generation)
        if let index { writer.append(integer: index) }
        return writer.bytes
    }

    /// The bytes that the keys of one index in a scope begin with.
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
