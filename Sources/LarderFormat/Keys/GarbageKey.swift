/// A key of the table `garbage`: a range of records that is being written, or was discarded.
///
/// FORMAT.md, "garbage". Key: (kind, number).
package struct GarbageKey: Hashable, Sendable {
    /// The content of a range. Kinds that wait for removal sort behind kinds that are being written.
    package enum Kind: Int64, Sendable, CaseIterable {
        /// A generation that is being written; `generations` and its resource name it, and no reader sees it.
        case stagedGeneration = 0
        /// A blob whose chunks are being written; nothing refers to it yet.
        case stagedBlob = 1
        /// A generation that was discarded.
        case generation = 2
        /// A secondary index that was discarded.
        case index = 3
        /// A blob that nothing refers to any more.
        case blob = 4

        /// The prefix of the keys of this kind.
        package var prefix: [UInt8] {
            var writer = TupleWriter()
            writer.append(integer: rawValue)
            return writer.bytes
        }
    }

    /// The content of the range.
    package let kind: Kind
    /// The number of the generation, blob or index.
    package let number: Int64

    /// The key of one range.
    package init(_ kind: Kind, _ number: Int64) {
        self.kind = kind
        self.number = number
    }

    /// Reads a key.
    ///
    /// - Throws: ``FormatError/invalidValue(field:value:)`` for an unknown kind or a negative number,
    ///   ``FormatError/trailingBytes(offset:)``; else as ``TupleReader``.
    package init(decoding key: RawSpan) throws(FormatError) {
        var reader = TupleReader(key)
        kind = try reader.state("kind", as: Kind.self)
        number = try reader.count("number")
        try reader.checkEnd()
    }

    /// The encoded key.
    package var bytes: [UInt8] {
        var writer = TupleWriter()
        writer.append(integer: kind.rawValue)
        writer.append(integer: number)
        return writer.bytes
    }

    /// The place of the record that refers to the range, unless the range was discarded.
    package var record: (table: TableName, key: [UInt8]) {
        var writer = TupleWriter()
        let table: TableName
        switch kind {
        case .stagedGeneration, .generation: table = .generations
        case .index:
            table = .indexes
            writer.append(text: IndexKey.declarationPrefix)
        case .stagedBlob, .blob:
            table = .blobs
            writer.append(integer: BlobKey.Kind.head.rawValue)
        }
        writer.append(integer: number)
        return (table, writer.bytes)
    }

    /// Whether the range waits to be removed.
    package var isRemovable: Bool { kind.rawValue >= Kind.generation.rawValue }

    /// The key at which the ranges that wait to be removed begin.
    package static let removable = Kind.generation.prefix
}
