internal import LarderEngine
internal import LarderFormat

/// Entries of rows, in the order of their keys, that a build writes together.
///
/// Written in the order of the rows, every entry would change another page; in key order they fill one page after
/// another.
struct IndexRun {
    /// The size at which a run is complete, in bytes.
    private static let limit = 16 << 20
    /// The bytes of rows that are read in one view.
    private static let readLimit = 4 << 20

    /// An entry, by the places of its parts. Keys and bodies have at most 511 bytes.
    private struct Item {
        /// The first sixteen bytes of the key behind those that all entries of the index begin with.
        let order: UInt128
        private let rowStart: UInt32
        private let keyStart: UInt32
        private let rowLength: UInt16
        private let keyLength: UInt16
        private let bodyLength: UInt16
        /// The position of its index among those of the rows.
        let index: UInt16

        init(_ order: UInt128, index: Int, row: Range<Int>, key: Range<Int>, end: Int) {
            self.order = order
            self.index = UInt16(index)
            (rowStart, rowLength) = (UInt32(row.lowerBound), UInt16(row.count))
            (keyStart, keyLength) = (UInt32(key.lowerBound), UInt16(key.count))
            bodyLength = UInt16(end - key.upperBound)
        }

        var row: Range<Int> { Int(rowStart)..<Int(rowStart) + Int(rowLength) }
        var key: Range<Int> { Int(keyStart)..<Int(keyStart) + Int(keyLength) }
        /// The body is behind the key.
        var body: Range<Int> { key.upperBound..<key.upperBound + Int(bodyLength) }
    }

    let rows: IndexedRows
    /// The key at which the rows that are not in it begin; nil at their end.
    private(set) var next: [UInt8]?
    /// The digests of the generation in the views that were read.
    private var digests: Set<UInt64?> = []
    private var bytes: [UInt8] = []
    private var items: [Item] = []
    private var values: [IndexValue] = []

    /// A run without entries, for the rows from `start` on.
    init(_ rows: IndexedRows, from start: [UInt8]?) {
        self.rows = rows
        next = start
    }

    /// The number of entries.
    var count: Int { items.count }

    /// Whether there are rows left, and space for their entries.
    var canGrow: Bool { next != nil && bytes.count < Self.limit }

    /// Adds entries of the next rows.
    mutating func read(_ tables: Tables, _ source: ReadTransaction) throws {
        let start = next
        next = nil
        guard let start, let seed = try rows.seed(tables, source) else { return }
        digests.insert(try rows.digest(tables, source))
        var size = 0
        try tables.forEachRaw(rows.table, prefix: try rows.prefix(), from: start, in: source) { entry in
            if size >= Self.readLimit || bytes.count >= Self.limit {
                next = [UInt8](copying: entry.key)
                return false
            }
            size += entry.key.byteCount + entry.value.byteCount
            // A damaged row is reported by `verify`.
            if try rows.read(entry.value, at: entry.key, seed: seed, into: &values) { try addEntries(of: entry.key) }
            return true
        }
    }

    /// Adds the entries of a row whose values were read.
    private mutating func addEntries(of rowKey: RawSpan) throws(StoreError) {
        bytes.append(copying: rowKey)
        let row = bytes.count - rowKey.byteCount..<bytes.count
        for index in values.indices {
            let start = bytes.count
            let length = try rows.appendEntry(values[index], index: index, rowKey: rowKey, to: &bytes)
            let key = start..<start + length
            let order = bytes.rawSpan.extracting(key).leadingBytes(from: rows.prefixLength(ofIndex: index))
            items.append(Item(order, index: index, row: row, key: key, end: bytes.count))
        }
    }

    /// Sorts the entries by key.
    mutating func sort() {
        // The entries of each index lie together, in the order of the indexes' numbers.
        let ranks = rows.numbers.map { number in rows.numbers.count { $0 < number } }
        let all = bytes
        items.sort { left, right in
            if left.index != right.index { return ranks[Int(left.index)] < ranks[Int(right.index)] }
            if left.order != right.order { return left.order < right.order }
            return all.rawSpan.extracting(left.key).lexicographicallyPrecedes(all.rawSpan.extracting(right.key))
        }
    }

    /// Whether the rows are known to be unchanged since they were read.
    func isCurrent(_ tables: Tables, _ source: ReadTransaction) throws -> Bool {
        guard let digest = try rows.digest(tables, source) else { return false }
        return digests == [digest]
    }

    /// Whether the row that the entry at a position is of has this entry now.
    func isCurrent(
        at position: Int, seed: UInt64, _ tables: Tables, _ source: ReadTransaction
    ) throws -> Bool {
        let item = items[position]
        let rowKey = bytes.rawSpan.extracting(item.row)
        var values: [IndexValue] = []
        guard let value = try source.value(forKey: rowKey, in: tables[rows.table]),
            try rows.read(value, at: rowKey, seed: seed, into: &values)
        else { return false }
        var entry: [UInt8] = []
        let index = Int(item.index)
        let length = try rows.appendEntry(values[index], index: index, rowKey: rowKey, to: &entry)
        return length == item.key.count && entry == Array(bytes[item.key.lowerBound..<item.body.upperBound])
    }

    /// Returns the key of the entry at a position.
    @_lifetime(borrow self)
    func key(at position: Int) -> RawSpan { bytes.rawSpan.extracting(items[position].key) }

    /// Returns the body of the entry at a position.
    @_lifetime(borrow self)
    func body(at position: Int) -> RawSpan {
        bytes.rawSpan.extracting(items[position].body)
    }
}

extension RawSpan {
    /// Returns the sixteen bytes from `offset` on, the first one highest, with zeros in place of missing ones.
    fileprivate func leadingBytes(from offset: Int) -> UInt128 {
        func word(from start: Int) -> UInt64 {
            var word: UInt64 = 0
            for index in start..<start + 8 { word = word &<< 8 | UInt64(index < byteCount ? bytes[index] : 0) }
            return word
        }
        return UInt128(word(from: offset)) << 64 | UInt128(word(from: offset + 8))
    }
}

extension Transaction {
    /// Writes entries of a run from `start` on, until its time is up.
    ///
    /// Skips entries of rows that were changed since they were read: that change has put the new entries.
    ///
    /// - Returns: the position to continue at; nil where one of the indexes was discarded.
    mutating func write(_ run: IndexRun, from start: Int, isTimeUp: () -> Bool) throws -> Int? {
        let declared = Set(try tables.declaredIndexes(in: engine).map(\.number))
        guard declared.isSuperset(of: run.rows.numbers) else { return nil }
        guard let seed = try run.rows.seed(tables, engine) else { return run.count }
        let isCurrent = try run.isCurrent(tables, engine)
        var position = start
        var bytes = 0
        var isAppending = true
        while position < run.count, bytes < BulkLimits.bytes {
            if try isCurrent || run.isCurrent(at: position, seed: seed, tables, engine) {
                bytes += try write(run.key(at: position), run.body(at: position), appending: &isAppending)
            }
            position += 1
            if isTimeUp() { break }
        }
        return position
    }

    /// Writes one entry, by appending where it is the last, and returns its size.
    private mutating func write(_ key: RawSpan, _ body: RawSpan, appending isAppending: inout Bool) throws -> Int {
        let value = Record.seal(body: body, key: key, seed: TableName.indexes.seed)
        if isAppending { isAppending = try writer.append(value.rawSpan, forKey: key, in: tables.indexes) }
        let size = key.byteCount + value.count
        if isAppending {
            countRemoved(bytes: Int64(-size))
        } else {
            try put(value.rawSpan, key: key, in: .indexes)
        }
        return size
    }
}
