internal import LarderEngine
internal import LarderFormat

/// The rows of one type in a scope, with the indexes that are kept over them.
///
/// Members that switch over the scope are not inlined: the optimizer of Swift 6.3.1 ends with an ownership error where
/// two of them are.
struct IndexedRows {
    let scope: IndexEntryKey.Scope
    private let indexes: RowIndexes

    init(_ indexes: RowIndexes, in scope: IndexEntryKey.Scope) {
        self.indexes = indexes
        self.scope = scope
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

    /// Returns a closure that returns the entries of a stored row, or nil for a damaged one; nil where the generation
    /// is gone.
    @inline(never)
    func entries(
        _ tables: Tables, _ source: ReadTransaction
    ) throws -> ((_ value: RawSpan, _ key: RawSpan) throws -> [IndexEntryRecord]?)? {
        let indexes = indexes
        switch scope {
        case .generation(let generation):
            guard let record = try tables.generation(generation, in: source) else { return nil }
            let rows = RowSource(owner: record.owner, generation: generation)
            return { value, key in
                guard let row = try? RowKeyCoding.decode(key).row else { return nil }
                return try indexes.entries(of: value, rowKey: key, key: row.key, rows)
            }
        case .overlaid(let resource):
            return { value, key in
                guard let row = try? OverlayKey.decode(key).row else { return nil }
                return try indexes.entries(ofOverlaid: value, at: key, row: row.key, of: resource)
            }
        }
    }
}
