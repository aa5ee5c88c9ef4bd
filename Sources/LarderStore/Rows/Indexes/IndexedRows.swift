internal import LarderEngine
internal import LarderFormat

/// The rows of one type in a scope, with the indexes that are kept over them.
///
/// Members that switch over the scope are not inlined: the optimizer of Swift 6.3.1 ends with an ownership error where
/// two of them are.
struct IndexedRows {
    let scope: IndexEntryKey.Scope
    private let indexes: RowIndexes
    /// The bytes that all entries of each index begin with.
    private let prefixes: [[UInt8]]
    /// The position of the type in the key of a row, which is the end of its entries' keys from there on.
    private let addressOffset: Int

    init(_ indexes: RowIndexes, in scope: IndexEntryKey.Scope) {
        self.indexes = indexes
        self.scope = scope
        prefixes = indexes.prefixes(scope)
        switch scope {
        case .generation(let generation): addressOffset = RowKeyCoding.prefix(generation: generation).count
        case .overlaid:
            // Both keys name the resource, the entry's behind the number of its index.
            let (entry, number) = (IndexEntryKey.prefix(scope, index: 1), IndexEntryKey.prefix(generation: 0, index: 1))
            addressOffset = entry.count - number.count
        }
    }

    /// The rows in `scope` of all types that have indexes, given the indexes over rows of its resource.
    static func all(_ indexes: [SecondaryIndex], in scope: IndexEntryKey.Scope) -> [IndexedRows] {
        let byType = Dictionary(grouping: indexes) { Array($0.definition.type.utf8) }
        return byType.values.map { IndexedRows(RowIndexes($0, type: $0[0].definition.type), in: scope) }
    }

    /// The numbers of the indexes.
    var numbers: [Int64] { indexes.numbers }

    /// The table of the rows.
    var table: TableName {
        @inline(never) get {
            switch scope {
            case .generation: .rows
            case .overlaid: .overlay
            }
        }
    }

    /// The bytes that the keys of the rows begin with.
    @inline(never)
    func prefix() throws(StoreError) -> [UInt8] {
        switch scope {
        case .generation(let generation): RowKeyCoding.prefix(generation: generation, type: indexes.type)
        case .overlaid(let resource):
            try Transaction.key { key in
                try key.append(resource: resource)
                try key.append(text: indexes.type)
            }
        }
    }

    /// The digest of all rows of the generation; nil where that is gone, and for overlaid rows, which have none.
    @inline(never)
    func digest(_ tables: Tables, _ source: ReadTransaction) throws -> UInt64? {
        guard case .generation(let generation) = scope else { return nil }
        return try tables.generation(generation, in: source)?.digest
    }

    /// The seed of the rows' checksums; nil where the generation is gone.
    @inline(never)
    func seed(_ tables: Tables, _ source: ReadTransaction) throws -> UInt64? {
        switch scope {
        case .generation(let generation):
            try tables.generation(generation, in: source).map { Checksum.ownerSeed($0.owner) }
        case .overlaid: TableName.overlay.seed
        }
    }

    /// Replaces the content of `values` by those of a stored row, one for each index.
    ///
    /// - Returns: false for a damaged row, and where local writes make none.
    @inline(never)
    func read(_ value: RawSpan, at key: RawSpan, seed: UInt64, into values: inout [IndexValue]) throws -> Bool {
        switch scope {
        case .generation:
            guard let body = try? Record.open(value, key: key, seed: seed),
                let codec = try? RecordHeader.payloadCodec(in: value), let row = try? RowBody(body: body)
            else { return false }
            indexes.read(row.payload, codec: codec, into: &values)
        case .overlaid:
            do {
                guard let row = try Row(overlay: value, key: key) else { return false }
                indexes.read(row.payload, codec: row.codec, into: &values)
            } catch StoreError.damaged {
                return false
            }
        }
        return true
    }

    /// Appends the key of an entry, and behind it the entry's body.
    ///
    /// - Parameters:
    ///   - value: the value of the row.
    ///   - index: the position of the index in ``numbers``.
    ///   - rowKey: the key of the row in its table, as it was written.
    /// - Returns: the length of the key.
    /// - Throws: ``StoreError/invalid(_:)``.
    func appendEntry(
        _ value: IndexValue, index: Int, rowKey: RawSpan, to bytes: inout [UInt8]
    ) throws(StoreError) -> Int {
        let start = bytes.count
        bytes += prefixes[index]
        // No JSON payload has a value without a form.
        let term = IndexTerm(value, indexes.collation(at: index)) ?? .null
        let address = rowKey.extracting(addressOffset..<rowKey.byteCount)
        do throws(FormatError) {
            var position = KeyBuffer()
            try term.append(to: &position)
            if position.count + address.byteCount <= Limits.indexAddress {
                bytes.append(copying: position.bytes)
                bytes.append(copying: address)
                return bytes.count - start
            }
            position.removeAll()
            let (type, key) = try IndexEntryKey.decodeAddress(address)
            let body = try IndexEntryKey.appendPosition(term, type: type, key: key, to: &position)
            bytes.append(copying: position.bytes)
            let length = bytes.count - start
            bytes += body
            return length
        } catch {
            throw .invalid(error)
        }
    }

    /// Returns how many bytes all entries of an index begin with.
    func prefixLength(ofIndex index: Int) -> Int { prefixes[index].count }
}
