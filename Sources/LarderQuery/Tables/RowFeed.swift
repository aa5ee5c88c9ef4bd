internal import LarderFormat
internal import LarderStore

/// A row as a statement needs it: only the required values, copied out of the store.
struct FetchedRow {
    let key: RowKey
    let updatedAt: Int64
    /// The values that the plan's extractor read.
    let values: [IndexValue]
    let payload: SQLValue
    /// The value of the index entry, if only that was read. The rest is then read when it is requested.
    let entry: IndexValue?

    /// A row of which only the index entry was read.
    init(_ key: RowKey, entry: IndexValue) {
        self.key = key
        self.entry = entry
        updatedAt = 0
        values = []
        payload = .null
    }

    init(_ key: RowKey, _ row: borrowing Row, _ needs: ColumnNeeds) {
        self.key = key
        entry = nil
        updatedAt = row.updatedAt
        values = needs.extractor.count == 0 ? [] : needs.extractor.values(of: row.payload, codec: row.codec)
        payload = needs.needsPayload ? SQLValue(payload: row.payload, codec: row.codec) : .null
    }
}

/// A source of rows in batches: a cursor of the store is valid only within the closure it is passed to.
protocol RowFeed {
    /// Returns the next rows, at most `limit` and at least one; none at the end.
    mutating func next(_ limit: Int, _ run: QueryRun) throws -> [FetchedRow]
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

    mutating func next(_ limit: Int, _ run: QueryRun) throws -> [FetchedRow] {
        while resource < resources.count {
            let rows = try read(limit, run)
            if !rows.isEmpty { return rows }
        }
        return []
    }

    /// Reads one batch of one segment; continues with the next segment at its end.
    private mutating func read(_ limit: Int, _ run: QueryRun) throws -> [FetchedRow] {
        let owner = resources[resource]
        let current = segments[segment]
        let limit = current.digits == nil ? limit : min(limit, NumberDigits.batch)
        let range = range(of: current, owner)
        var rows: [FetchedRow] = []
        var isPastEnd = false
        let count = try run.store.read { view in
            try view.forEachRow(in: range, limit: limit) { entry in
                if isPastEnd { return }
                let (type, key) = try entry.key()
                last = key
                let match = current.match(key)
                isPastEnd = match.isOver
                guard match.isWanted else { return }
                rows.append(FetchedRow(RowKey(resource: owner, type: type, key: key), entry.row, plan.needs))
            }
        }
        run.countRows(count, plan)
        if isPastEnd || count < limit { advance() } else { jump(by: current.digits) }
        return rows
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
        let bytes = [UInt8](copying: payload)
        if codec == .json, let text = String(validating: bytes, as: UTF8.self) {
            self = .text(text)
        } else {
            self = .blob(bytes)
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
