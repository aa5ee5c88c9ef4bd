internal import LarderEngine
internal import LarderFormat

/// The declared indexes, as a transaction has read them.
final class IndexCache: CommitState {
    /// All declared indexes, once they were read.
    var declared: [SecondaryIndex]?
    /// The indexes over the rows of the type requested last: changes come in series.
    var last: (resource: ResourceKey, type: String, indexes: RowIndexes?)?

    init(_ shared: SharedState) {}

    /// Forgets what was read, after a declaration has changed.
    func removeAll() {
        declared = nil
        last = nil
    }
}

/// Changes of index entries, collected to be made in key order; of several of one key, the last counts.
struct IndexChanges {
    /// The body of an entry to put, or nil for one to remove.
    private(set) var bodies: [[UInt8]: [UInt8]?] = [:]

    mutating func remove(_ entries: [IndexEntryRecord]) {
        for entry in entries { bodies.updateValue(nil, forKey: entry.key) }
    }

    mutating func put(_ entries: [IndexEntryRecord]) {
        for entry in entries { bodies.updateValue(entry.body, forKey: entry.key) }
    }
}

extension Transaction {
    /// The cache of the declared indexes.
    var indexCache: IndexCache { state(IndexCache.self) }

    /// The indexes that are kept over the rows of one type of a resource, or nil.
    mutating func rowIndexes(over resource: ResourceKey, type: String) throws -> RowIndexes? {
        let cache = indexCache
        let declared: [SecondaryIndex]
        if let known = cache.declared {
            declared = known
        } else {
            declared = try tables.declaredIndexes(in: engine)
            cache.declared = declared
        }
        if declared.isEmpty { return nil }
        if let last = cache.last, last.resource == resource, last.type.utf8.elementsEqual(type.utf8) {
            return last.indexes
        }
        let indexes = RowIndexes(of: declared, over: resource, type: type)
        cache.last = (resource, type, indexes)
        return indexes
    }

    /// Applies changes of entries, in key order.
    mutating func apply(_ changes: IndexChanges) throws {
        let sorted = changes.bodies.sorted { $0.key.rawSpan.lexicographicallyPrecedes($1.key.rawSpan) }
        for (key, body) in sorted {
            if let body {
                try put(body: body, key: key, in: .indexes)
            } else {
                try remove(key: key, in: .indexes)
            }
        }
    }

    /// The entries of a stored row; where the row is damaged, those that name it, found by a walk.
    borrowing func indexEntries(
        of value: RawSpan, rowKey: RawSpan, key: String, _ indexes: RowIndexes, _ source: RowSource
    ) throws -> [IndexEntryRecord] {
        if let entries = try indexes.entries(of: value, rowKey: rowKey, key: key, source) { return entries }
        return try entriesNaming(key: key, indexes, in: .generation(source.generation))
    }

    /// The entries that name a row, found by a walk.
    borrowing func entriesNaming(
        key: String, _ indexes: RowIndexes, in scope: IndexEntryKey.Scope
    ) throws -> [IndexEntryRecord] {
        var found: [IndexEntryRecord] = []
        let address = IndexAddress(type: indexes.type, key: key)
        for prefix in indexes.prefixes(scope) {
            try tables.forEachRaw(.indexes, prefix: prefix, in: engine) { entry in
                if let decoded = try? IndexEntryKey(decoding: entry.key), address.isNamed(by: decoded.address) {
                    found.append(IndexEntryRecord(key: [UInt8](copying: entry.key), body: []))
                }
                return true
            }
        }
        return found
    }
}

/// The type and key of a row, in both forms in which an entry may name it.
struct IndexAddress {
    private let row: IndexEntryKey.Address
    private let hash: IndexEntryKey.Address

    init(type: String, key: String) {
        var writer = TupleWriter()
        writer.append(text: type)
        writer.append(recordKey: key)
        row = .row(type: type, key: key)
        hash = .hash(IndexEntryKey.hash(ofAddress: writer.bytes.rawSpan))
    }

    func isNamed(by address: IndexEntryKey.Address) -> Bool { address == row || address == hash }
}
