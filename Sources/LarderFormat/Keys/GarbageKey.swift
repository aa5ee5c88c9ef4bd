/// A key of the table `garbage`: a range of records that no other record leads to.
///
/// FORMAT.md, "garbage". Key: (kind, number).
package struct GarbageKey: Hashable, Sendable {
    /// What the range is of. Those that wait to be removed come behind those that are being written.
    package enum Kind: Int64, Sendable, CaseIterable {
        /// A generation that is being written; no reader sees it.
        case stagedGeneration = 0
        /// A blob whose chunks are being written; nothing names it yet.
        case stagedBlob = 1
        /// A generation that was given up.
        case generation = 2
        /// A secondary index that was given up.
        case index = 3
        /// A blob that nothing names any more.
        case blob = 4

        /// The bytes that the keys of this kind begin with.
        package var prefix: [UInt8] {
            var writer = TupleWriter()
            writer.append(integer: rawValue)
            return writer.bytes
        }
    }

    /// What the range is of.
    package let kind: Kind
    /// Which one of its kind.
    package let number: Int64

    /// The key of one range.
    package init(_ kind: Kind, _ number: Int64) {
        self.kind = kind
        self.number = number
    }

    /// Reads a key.
    package init(decoding key: RawSpan) throws(FormatError) {
        var reader = TupleReader(key)
        kind = try reader.state("kind", as: Kind.self)
        number = try reader.count("number")
        try reader.end()
    }

    /// The encoded key.
    package var bytes: [UInt8] {
        var writer = TupleWriter()
        writer.append(integer: kind.rawValue)
        writer.append(integer: number)
        return writer.bytes
    }

    /// Where the record stands that leads to the range, unless that was given up.
    package var record: (table: TableName, key: [UInt8]) {
        var writer = TupleWriter()
        let table: TableName
        switch kind {
        case .stagedGeneration, .generation: table = .generations
        case .index:
            table = .indexes
            writer.append(text: IndexKey.declarationWord)
        case .stagedBlob, .blob:
            table = .blobs
            writer.append(integer: BlobKey.Kind.head.rawValue)
        }
        writer.append(integer: number)
        return (table, writer.bytes)
    }

    /// Whether the range waits to be removed.
    package var isRemovable: Bool { kind.rawValue >= Kind.generation.rawValue }

    /// Where the keys of what waits to be removed begin.
    package static let removable = Kind.generation.prefix
}
