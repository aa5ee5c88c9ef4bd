internal import LarderEngine
internal import LarderFormat

/// Runs `body`, whose failure means a damaged record of `table`.
func decoding<Value>(_ table: TableName, _ body: () throws(FormatError) -> Value) throws(StoreError) -> Value {
    do throws(FormatError) {
        return try body()
    } catch {
        throw .damaged(table: table.rawValue, reason: error)
    }
}

/// Walks that read views and write transactions share.
extension Tables {
    /// Calls `body` with every verified record whose key begins with the elements `prefix`, in key order, until it
    /// returns false.
    func forEach(
        _ name: TableName, prefix: [UInt8], in source: ReadTransaction,
        _ body: (_ key: RawSpan, _ record: RawSpan) throws -> Bool
    ) throws {
        if prefix.count > Limits.key {
            throw StoreError.invalid(.keyTooLong(actual: prefix.count, limit: Limits.key))
        }
        try forEachRaw(name, prefix: prefix, in: source) { entry in
            try body(entry.key, try Self.body(of: entry.value, key: entry.key, table: name))
        }
    }

    /// Calls `body` with every entry whose key begins with the elements `prefix`, unverified, until it returns false.
    ///
    /// - Parameter start: the key to begin at; nil is the first of them.
    func forEachRaw(
        _ name: TableName, prefix: [UInt8], from start: [UInt8]? = nil, in source: ReadTransaction,
        _ body: (borrowing Entry) throws -> Bool
    ) throws {
        /// Returns whether to continue.
        func visit(_ entry: borrowing Entry) throws -> Bool {
            guard entry.key.beginsWith(elements: prefix) else { return false }
            return try body(entry)
        }
        try source.withCursor(in: self[name]) { cursor in
            let first = start ?? prefix
            // A seek that finds nothing leaves no position to step from.
            var shouldContinue = first.isEmpty
            if !first.isEmpty, let entry = try cursor.seek(first.rawSpan) { shouldContinue = try visit(entry) }
            while shouldContinue {
                guard let entry = try cursor.next() else { return }
                shouldContinue = try visit(entry)
            }
        }
    }

    /// Calls `body` with the readable records whose keys begin with the elements `prefix`, and skips damaged ones.
    ///
    /// - Returns: the number of records, damaged ones included.
    @discardableResult
    func forEachReadable<Value>(
        _ name: TableName, prefix: [UInt8] = [], in source: ReadTransaction,
        _ decode: (_ key: RawSpan, _ body: RawSpan) throws(FormatError) -> Value, _ body: (Value) throws -> Void
    ) throws -> Int {
        var count = 0
        try forEachRaw(name, prefix: prefix, in: source) { entry in
            count += 1
            let key = entry.key
            let value = entry.value
            let decoded = try? decoding(name) { () throws(FormatError) in
                try decode(key, try Record.open(value, key: key, seed: name.seed))
            }
            if let decoded { try body(decoded) }
            return true
        }
        return count
    }

    /// The values that `pick` returns for the events of the journal, the oldest first.
    func journal<Value>(in source: ReadTransaction, _ pick: (JournalRecord.Event) -> Value?) throws -> [Value] {
        var found: [Value] = []
        try forEach(.journal, prefix: [], in: source) { _, body in
            let record = try decoding(.journal) { () throws(FormatError) in try JournalRecord(decoding: body) }
            if let value = pick(record.event) { found.append(value) }
            return true
        }
        return found
    }

    /// Calls `body` with the entries of a table between two keys, unverified, until it returns false.
    ///
    /// - Parameters:
    ///   - checksNeighbors: whether a read view verifies the entries before and after those, so that a damaged key does
    ///     not hide one.
    ///   - rows: the rows that the entries are, in the table `rows`.
    @inline(__always)  // A call of a closure for each row takes longer than its work.
    func forEachEntry(
        _ name: TableName, from start: [UInt8], upTo end: [UInt8], reversed: Bool, checksNeighbors: Bool = false,
        rows: RowSource? = nil, in source: ReadTransaction, _ body: (borrowing Entry) throws -> Bool
    ) throws {
        let checksNeighbors = checksNeighbors && !source.isWriting
        let bound = KeyBound(end)
        /// Returns whether to continue.
        func visit(_ entry: borrowing Entry) throws -> Bool {
            let isInside =
                reversed
                ? !entry.key.lexicographicallyPrecedes(start.rawSpan) : bound.isAfter(entry.key)
            if isInside { return try body(entry) }
            if checksNeighbors { try verifyNeighbor(entry, name, rows, in: source) }
            return false
        }
        try source.withCursor(in: self[name]) { cursor in
            if checksNeighbors, reversed, let entry = try cursor.seek(end.rawSpan) {
                try verifyNeighbor(entry, name, rows, in: source)
            } else if checksNeighbors, !reversed, let entry = try cursor.seek(before: start.rawSpan) {
                try verifyNeighbor(entry, name, rows, in: source)
            }
            // A seek that finds nothing leaves no position to step from.
            var shouldContinue = false
            if reversed {
                if let entry = try cursor.seek(before: end.rawSpan) { shouldContinue = try visit(entry) }
                while shouldContinue, let entry = try cursor.previous() { shouldContinue = try visit(entry) }
            } else {
                if let entry = try cursor.seek(start.rawSpan) { shouldContinue = try visit(entry) }
                while shouldContinue, let entry = try cursor.next() { shouldContinue = try visit(entry) }
            }
        }
    }
}
