internal import LarderEngine
internal import LarderFormat

/// The record of an index entry, ready to be sealed.
struct IndexEntryRecord: Hashable {
    var key: [UInt8]
    var body: [UInt8]
}

/// The indexes that are kept over the rows of one type of a resource.
struct RowIndexes: Sendable {
    let type: String
    private let definitions: [(number: Int64, collation: IndexCollation)]
    private let extractor: JSONExtractor

    /// Nil when none of `indexes` is over such rows.
    init?(of indexes: [SecondaryIndex], over resource: ResourceKey, type: String) {
        let matching = indexes.filter { index in
            index.covers(resource) && index.definition.type.utf8.elementsEqual(type.utf8)
        }
        if matching.isEmpty { return nil }
        self.init(matching, type: type)
    }

    /// All of `indexes`, which are over rows of `type`.
    init(_ indexes: [SecondaryIndex], type: String) {
        self.type = type
        definitions = indexes.map { ($0.number, $0.definition.collation) }
        extractor = JSONExtractor(indexes.map(\.definition.path))
    }

    /// The numbers of the indexes, in the order of all results.
    var numbers: [Int64] { definitions.map(\.number) }

    /// The comparison of texts of the index at a position.
    func collation(at index: Int) -> IndexCollation { definitions[index].collation }

    /// Replaces the content of `values` by those of a payload, one for each index.
    func read(_ payload: RawSpan, codec: PayloadCodec, into values: inout [IndexValue]) {
        extractor.read(payload, codec: codec, into: &values)
    }

    /// The values of a payload, one for each index.
    func values(of payload: RawSpan, codec: PayloadCodec) -> [IndexValue] {
        extractor.values(of: payload, codec: codec)
    }

    /// The entries of a row, one for each index.
    ///
    /// - Throws: ``StoreError/invalid(_:)``.
    func entries(
        in scope: IndexEntryKey.Scope, key: String, payload: RawSpan, codec: PayloadCodec
    ) throws(StoreError) -> [IndexEntryRecord] {
        var entries: [IndexEntryRecord] = []
        entries.reserveCapacity(definitions.count)
        var buffer = KeyBuffer()
        for (index, value) in zip(definitions, values(of: payload, codec: codec)) {
            // No JSON payload has a value without a form.
            let term = IndexTerm(value, index.collation) ?? .null
            do throws(FormatError) {
                let body = try IndexEntryKey.encode(
                    scope, index: index.number, term: term, type: type, key: key, to: &buffer)
                entries.append(IndexEntryRecord(key: buffer.array(), body: body))
            } catch {
                throw .invalid(error)
            }
        }
        return entries
    }

    /// The entries of a row that is stored as `value`; nil when that is damaged.
    func entries(of value: RawSpan, rowKey: RawSpan, key: String, _ source: RowSource) throws -> [IndexEntryRecord]? {
        guard let body = try? Record.open(value, key: rowKey, seed: source.seed),
            let codec = try? RecordHeader.payloadCodec(in: value), let row = try? RowBody(body: body)
        else { return nil }
        return try entries(in: .generation(source.generation), key: key, payload: row.payload, codec: codec)
    }

    /// The entries of an overlaid row whose record has this value; nil when it is damaged, none when the local writes
    /// make no row.
    func entries(
        ofOverlaid value: RawSpan, at key: RawSpan, row: String, of resource: ResourceKey
    ) throws -> [IndexEntryRecord]? {
        do {
            guard let visible = try Row(overlay: value, key: key) else { return [] }
            return try entries(in: .overlaid(resource), key: row, payload: visible.payload, codec: visible.codec)
        } catch StoreError.damaged {
            return nil
        }
    }

    /// The bytes that all entries of these indexes in a scope begin with, one prefix for each.
    func prefixes(_ scope: IndexEntryKey.Scope) -> [[UInt8]] {
        definitions.map { IndexEntryKey.prefix(scope, index: $0.number) }
    }
}

extension Tables {
    /// Whether the rows of a resource are in an index.
    func hasIndex(over resource: ResourceKey, in source: ReadTransaction) throws -> Bool {
        try declaredIndexes(in: source).contains { $0.covers(resource) }
    }

    /// The declared indexes; those whose records are damaged are left out, as they cannot be used.
    func declaredIndexes(in source: ReadTransaction) throws -> [SecondaryIndex] {
        var found: [SecondaryIndex] = []
        try forEachRaw(.indexes, prefix: IndexRecord.prefix, in: source) { entry in
            if case .declaration(let number)? = try? IndexKey(decoding: entry.key),
                let body = try? Record.open(entry.value, key: entry.key, seed: TableName.indexes.seed),
                let record = try? IndexRecord(decoding: body),
                let index = SecondaryIndex(number: number, record)
            {
                found.append(index)
            }
            return true
        }
        return found
    }
}
