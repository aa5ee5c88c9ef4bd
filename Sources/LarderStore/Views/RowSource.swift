internal import LarderEngine
internal import LarderFormat

/// Where the visible rows of a resource lie, and what their checksums begin with.
struct RowSource {
    let owner: ResourceKey
    let generation: Int64
    let seed: UInt64

    init(owner: ResourceKey, generation: Int64) {
        self.owner = owner
        self.generation = generation
        seed = Checksum.ownerSeed(owner)
    }

    init(owner: ResourceKey, generation: Int64, seed: UInt64) {
        self.owner = owner
        self.generation = generation
        self.seed = seed
    }

    /// Builds the key of a row after checking it against the budget of every table it may ever stand in.
    func appendKey(type: String, key: String, to buffer: inout KeyBuffer) throws(StoreError) {
        do throws(FormatError) {
            try RowKeyCoding.checkBudget(resource: owner, type: type, key: key)
            try RowKeyCoding.append(generation: generation, type: type, key: key, to: &buffer)
        } catch {
            throw .invalid(error)
        }
    }
}

/// Runs `body`, whose failure means a damaged record of `table`.
func decoding<Value>(_ table: TableName, _ body: () throws(FormatError) -> Value) throws(StoreError) -> Value {
    do throws(FormatError) {
        return try body()
    } catch {
        throw .damaged(table: table.rawValue, reason: error)
    }
}

extension Tables {
    /// Where the visible rows of `resource` lie; nil when it has none. Nothing is allocated.
    func rowSource<Source: TableReader & ~Copyable>(
        of resource: ResourceKey, in source: borrowing Source
    ) throws -> RowSource? {
        var key = KeyBuffer()
        do throws(FormatError) {
            try ResourceRecord.appendKey(resource, to: &key)
        } catch {
            throw StoreError.invalid(error)
        }
        guard let value = try source.value(forKey: key.bytes, in: resources) else { return nil }
        let body = try Self.body(of: value, key: key.bytes, table: .resources)
        let visible = try decoding(.resources) { () throws(FormatError) in
            try ResourceRecord.visibleGeneration(decoding: body)
        }
        guard let generation = visible else { return nil }
        return RowSource(owner: resource, generation: generation, seed: Checksum.ownerSeed(key.bytes))
    }

    /// The visible row at `key`, verified.
    @_lifetime(borrow source)
    func row<Source: TableReader & ~Copyable>(at key: RowKey, in source: borrowing Source) throws -> Row? {
        guard let rowSource = try rowSource(of: key.resource, in: source) else { return nil }
        var buffer = KeyBuffer()
        try rowSource.appendKey(type: key.type, key: key.key, to: &buffer)
        guard let value = try source.value(forKey: buffer.bytes, in: rows) else { return nil }
        let body = try Self.body(of: value, key: buffer.bytes, table: .rows, seed: rowSource.seed)
        return try Row(value: value, body: body)
    }

    /// Calls `body` with the visible rows of `range`.
    func scan<Source: TableReader & ~Copyable>(
        _ range: RowRange, in source: borrowing Source, reversed: Bool, limit: Int, verified: Bool,
        _ body: (borrowing RowEntry) throws -> Void
    ) throws -> Int {
        guard limit > 0, let rowSource = try rowSource(of: range.resource, in: source) else { return 0 }
        let (start, end) = try range.encoded(generation: rowSource.generation)
        guard start.rawSpan.lexicographicallyPrecedes(end.rawSpan) else { return 0 }
        var count = 0
        /// Answers whether to go on.
        func visit(_ entry: borrowing Entry) throws -> Bool {
            let isInside =
                reversed
                ? !entry.key.lexicographicallyPrecedes(start.rawSpan)
                : entry.key.lexicographicallyPrecedes(end.rawSpan)
            guard isInside else { return false }
            let record = try Self.rowBody(of: entry, seed: verified ? rowSource.seed : nil)
            let row = try Row(value: entry.value, body: record)
            try body(RowEntry(encodedKey: entry.key, row: row))
            count += 1
            return count < limit
        }
        try source.withReadCursor(in: rows) { cursor in
            // A seek that finds nothing leaves no position to step from.
            var isGoing = false
            if reversed {
                if let entry = try cursor.seek(before: end.rawSpan) { isGoing = try visit(entry) }
                while isGoing {
                    guard let entry = try cursor.previous() else { return }
                    isGoing = try visit(entry)
                }
            } else {
                if let entry = try cursor.seek(start.rawSpan) { isGoing = try visit(entry) }
                while isGoing {
                    guard let entry = try cursor.next() else { return }
                    isGoing = try visit(entry)
                }
            }
        }
        return count
    }

    /// The body of a row, verified when there is a seed.
    @_lifetime(copy entry)
    private static func rowBody(of entry: borrowing Entry, seed: UInt64?) throws(StoreError) -> RawSpan {
        do throws(FormatError) {
            guard let seed else { return try Record.openUnverified(entry.value) }
            return try Record.open(entry.value, key: entry.key, seed: seed)
        } catch {
            throw .damaged(table: TableName.rows.rawValue, reason: error)
        }
    }
}
