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

    private struct Item {
        let row: Range<Int>
        let key: Range<Int>
        let body: Range<Int>
    }

    let rows: IndexedRows
    /// The key at which the rows that are not in it begin; nil at their end.
    private(set) var next: [UInt8]?
    /// The digests of the generation in the views that were read.
    private var digests: Set<UInt64?> = []
    private var bytes: [UInt8] = []
    private var items: [Item] = []

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
        guard let start, let entries = try rows.entries(tables, source) else { return }
        digests.insert(try rows.digest(tables, source))
        var size = 0
        try tables.forEachRaw(rows.table, prefix: try rows.prefix(), from: start, in: source) { entry in
            if size >= Self.readLimit || bytes.count >= Self.limit {
                next = [UInt8](copying: entry.key)
                return false
            }
            size += entry.key.byteCount + entry.value.byteCount
            // A damaged row is reported by `verify`.
            if let found = try entries(entry.value, entry.key) { add(found, of: entry.key) }
            return true
        }
    }

    private mutating func add(_ entries: [IndexEntryRecord], of rowKey: RawSpan) {
        func lastRange(_ count: Int) -> Range<Int> { bytes.count - count..<bytes.count }
        bytes.append(copying: rowKey)
        let row = lastRange(rowKey.byteCount)
        for entry in entries {
            bytes += entry.key
            let key = lastRange(entry.key.count)
            bytes += entry.body
            items.append(Item(row: row, key: key, body: lastRange(entry.body.count)))
        }
    }

    /// Sorts the entries by key.
    mutating func sort() {
        let all = bytes
        items.sort { left, right in
            all.rawSpan.extracting(left.key).lexicographicallyPrecedes(all.rawSpan.extracting(right.key))
        }
    }

    /// Whether the rows are known to be unchanged since they were read.
    func isCurrent(_ tables: Tables, _ source: ReadTransaction) throws -> Bool {
        guard let digest = try rows.digest(tables, source) else { return false }
        return digests == [digest]
    }

    /// The entry at a position.
    subscript(position: Int) -> IndexEntryRecord {
        IndexEntryRecord(key: Array(bytes[items[position].key]), body: Array(bytes[items[position].body]))
    }

    /// The key of the row that the entry at a position is of.
    func rowKey(at position: Int) -> [UInt8] { Array(bytes[items[position].row]) }
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
        guard let entries = try run.rows.entries(tables, engine) else { return run.count }
        let isCurrent = try run.isCurrent(tables, engine)
        var position = start
        var bytes = 0
        var isAppending = true
        while position < run.count, bytes < BulkLimits.bytes {
            let entry = run[position]
            if try isCurrent || isStillCurrent(entry, run, position, entries) {
                bytes += try write(entry, appending: &isAppending)
            }
            position += 1
            if isTimeUp() { break }
        }
        return position
    }

    private borrowing func isStillCurrent(
        _ entry: IndexEntryRecord, _ run: IndexRun, _ position: Int,
        _ entries: (_ value: RawSpan, _ key: RawSpan) throws -> [IndexEntryRecord]?
    ) throws -> Bool {
        let row = run.rowKey(at: position)
        guard let value = try engine.value(forKey: row.rawSpan, in: tables[run.rows.table]) else { return false }
        return try entries(value, row.rawSpan)?.contains(entry) == true
    }

    /// Writes one entry, by appending where it is the last, and returns its size.
    private mutating func write(_ entry: IndexEntryRecord, appending isAppending: inout Bool) throws -> Int {
        let value = Record.seal(body: entry.body.rawSpan, key: entry.key.rawSpan, seed: TableName.indexes.seed)
        if isAppending { isAppending = try writer.append(value.rawSpan, forKey: entry.key.rawSpan, in: tables.indexes) }
        let size = entry.key.count + value.count
        if isAppending {
            countRemoved(bytes: Int64(-size))
        } else {
            try put(value.rawSpan, key: entry.key.rawSpan, in: .indexes)
        }
        return size
    }
}
