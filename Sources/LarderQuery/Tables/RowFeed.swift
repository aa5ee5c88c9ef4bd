internal import LarderFormat
internal import LarderStore

/// A row as a statement needs it: only the required values, copied out of the store.
struct FetchedRow {
    /// Its key; empty where no column needs it.
    let key: String
    let updatedAt: Int64
    let payload: SQLValue
    /// The position of its first value among those of the batch.
    let firstValue: Int
    /// The value of the index entry, if only that was read. The rest is then read when it is requested.
    let entry: IndexValue?

    /// A row of which only the index entry was read.
    init(_ key: String, entry: IndexValue) {
        self.key = key
        self.entry = entry
        updatedAt = 0
        payload = .null
        firstValue = 0
    }

    fileprivate init(_ key: String, _ row: borrowing Row, _ needs: ColumnNeeds, firstValue: Int) {
        self.key = key
        entry = nil
        updatedAt = row.updatedAt
        payload = needs.needsPayload ? SQLValue(payload: row.payload, codec: row.codec) : .null
        self.firstValue = firstValue
    }
}

/// Rows of one resource that were read together.
struct RowBatch {
    var resource = ResourceKey("", 0)
    private(set) var rows: [FetchedRow] = []
    /// The values that the plan's extractor read, row by row.
    private(set) var values: [IndexValue] = []
    private var scratch: [IndexValue] = []

    mutating func removeAll() {
        rows.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
    }

    mutating func append(_ row: FetchedRow) { rows.append(row) }

    mutating func append(_ key: String, _ row: borrowing Row, _ needs: ColumnNeeds) {
        rows.append(FetchedRow(key, row, needs, firstValue: values.count))
        appendValues(of: row, needs)
    }

    /// Puts a whole row in the place of one of which only the index entry was read.
    mutating func complete(at position: Int, _ row: borrowing Row, _ needs: ColumnNeeds) {
        rows[position] = FetchedRow(rows[position].key, row, needs, firstValue: values.count)
        appendValues(of: row, needs)
    }

    private mutating func appendValues(of row: borrowing Row, _ needs: ColumnNeeds) {
        if needs.extractor.count == 0 { return }
        needs.extractor.read(row.payload, codec: row.codec, into: &scratch)
        values.append(contentsOf: scratch)
    }
}

/// A source of rows in batches: a cursor of the store is valid only within the closure it is passed to.
protocol RowFeed {
    /// Replaces a batch by the next rows, at most `limit` and at least one; by none at the end.
    mutating func next(_ limit: Int, _ run: QueryRun, into batch: inout RowBatch) throws
}

/// Rows in the order of their keys, range by range and resource by resource.
struct KeyFeed: RowFeed {
    private let plan: TablePlan
    private let resources: [ResourceKey]
    private let segments: [KeySegment]
    private var resource = 0
    private var segment = 0
    /// The last key read of the segment; nil before the first.
    private var last: String?
    /// The key to continue from: no key before it can spell the number that the segment selects.
    private var start: String?

    init(_ plan: TablePlan, resources: [ResourceKey], segments: [KeySegment]) {
        self.plan = plan
        self.resources = segments.isEmpty ? [] : resources
        self.segments = segments
    }

    mutating func next(_ limit: Int, _ run: QueryRun, into batch: inout RowBatch) throws {
        batch.removeAll()
        while resource < resources.count, batch.rows.isEmpty {
            batch.resource = resources[resource]
            if let key = segments[segment].point {
                try read(key, run, into: &batch)
            } else {
                try read(limit, run, into: &batch)
            }
        }
    }

    /// Reads the only row of a segment.
    private mutating func read(_ key: String, _ run: QueryRun, into batch: inout RowBatch) throws {
        let position = RowKey(resource: resources[resource], type: plan.table.type, key: key)
        try run.read(position.resource) { view, place in
            guard let row = try view.row(at: position, in: place) else { return }
            batch.append(key, row, plan.needs)
        }
        run.countRows(batch.rows.count, plan)
        advance()
    }

    /// Reads one batch of one segment; continues with the next segment at its end.
    private mutating func read(_ limit: Int, _ run: QueryRun, into batch: inout RowBatch) throws {
        let current = segments[segment]
        let limit = current.digits == nil ? limit : min(limit, NumberDigits.batch)
        let range = range(of: current, resources[resource])
        let needsKeys = plan.needs.needsKey || current.isFiltered
        var isPastEnd = false
        var visited = 0
        let count = try run.store.read { view in
            try view.forEachRow(in: range, limit: limit) { entry in
                visited += 1
                if isPastEnd { return }
                var key = ""
                // The next batch continues behind the last key.
                if needsKeys || visited == limit {
                    key = try entry.key().key
                    last = key
                }
                let match = current.match(key)
                isPastEnd = match.isOver
                if match.isWanted { batch.append(key, entry.row, plan.needs) }
            }
        }
        run.countRows(count, plan)
        if isPastEnd || count < limit { advance() } else { jump(by: current.digits) }
    }

    /// Skips the keys that begin like the last one, where none of them can match.
    private mutating func jump(by digits: NumberDigits?) {
        guard let key = last, let next = digits?.successor(of: key) else { return }
        let first = KeyBounds.firstText(from: next)
        // Keys with the highest character may sort after even that: these are read one by one.
        guard key.precedes(first) else { return }
        last = nil
        start = first
    }

    private mutating func advance() {
        last = nil
        start = nil
        segment += 1
        guard segment == segments.count else { return }
        segment = 0
        resource += 1
    }

    private func range(of segment: KeySegment, _ owner: ResourceKey) -> RowRange {
        let type = plan.table.type
        if let last { return .keys(after: last, through: segment.through, type: type, of: owner) }
        if let from = start ?? segment.from {
            return .keys(from: from, through: segment.through, type: type, of: owner)
        }
        return .keys(after: nil, through: segment.through, type: type, of: owner)
    }
}

extension SQLValue {
    /// A payload: text when it is marked as JSON and is UTF-8, else bytes.
    init(payload: RawSpan, codec: PayloadCodec) {
        if codec == .json, let text = payload.text() {
            self = .text(text)
        } else {
            self = .blob([UInt8](copying: payload))
        }
    }

    /// The value of a column.
    init(_ value: IndexValue) {
        switch value {
        case .null: self = .null
        case .integer(let integer): self = .integer(integer)
        case .real(let real): self = .real(real)
        case .text(let text): self = .text(text)
        case .blob(let bytes): self = .blob(bytes)
        }
    }
}
