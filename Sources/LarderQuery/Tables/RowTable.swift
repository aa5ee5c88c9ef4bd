internal import LarderFormat
internal import LarderStore

/// A table over rows of the store.
final class RowTable: VirtualTable {
    let definition: TableDefinition
    // The session owns the connection, which owns its tables.
    private unowned let session: QuerySession

    init(_ definition: TableDefinition, _ session: QuerySession) {
        self.definition = definition
        self.session = session
    }

    var schema: String { ColumnLayout.schema(of: definition) }

    func plan(_ request: PlanRequest) throws -> PlanResult {
        try Planner(definition, session.current).plan(request)
    }

    func makeCursor() -> any VirtualCursor { RowCursor(session.current) }
}

/// A position in a table over rows.
final class RowCursor: VirtualCursor {
    /// Batches grow from this number of rows: a statement that needs one row should not read many.
    private static let firstBatch = 4
    private static let largestBatch = 256

    private let run: QueryRun
    private var plan: TablePlan?
    private var feed: (any RowFeed)?
    private var batch = RowBatch()
    private var position = 0
    private var batchLimit = firstBatch
    /// The number of rows still to return, where they are only counted.
    private var uncounted = 0

    init(_ run: QueryRun) {
        self.run = run
    }

    func filter(plan number: Int, arguments: [SQLValue?]) throws {
        let plan = run.begin(number)
        self.plan = plan
        feed = nil
        batch.removeAll()
        position = 0
        batchLimit = Self.firstBatch
        let count = plan.isCount ? try run.storedCount(of: plan.table) : try plan.entryCount(arguments, run)
        uncounted = count ?? 0
        if count != nil { return }
        feed = try plan.feed(arguments, run)
        try fill()
    }

    func next() throws {
        if uncounted > 0 { return uncounted -= 1 }
        position += 1
        if position == batch.rows.count { try fill() }
    }

    var isAtEnd: Bool { uncounted == 0 && position >= batch.rows.count }

    func value(ofColumn column: Int) throws -> SQLValue {
        guard let plan, position < batch.rows.count else {
            if uncounted > 0 { throw Self.unrequested }
            return .null
        }
        switch ColumnLayout.column(column, declared: plan.table.columns.count) {
        case .key:
            if batch.rows[position].key.isEmpty, !plan.needs.needsKey { throw Self.unrequested }
            return .text(batch.rows[position].key)
        case .declared(let index):
            if let value = plan.entryValue(batch.rows[position], index) { return value }
            guard let slot = plan.needs.slots[index] else { throw Self.unrequested }
            try completeRow(plan)
            return SQLValue(batch.values[batch.rows[position].firstValue + slot])
        case .updatedAt:
            try completeRow(plan)
            return .integer(batch.rows[position].updatedAt)
        case .payload:
            try completeRow(plan)
            return batch.rows[position].payload
        case .resourceGroup: return .text(batch.resource.group)
        case .resourceID: return .integer(batch.resource.id)
        case nil: return .null
        }
    }

    /// SQLite reads no other column than those that it requested; a null in place of a value would change the result.
    private static let unrequested = QueryError.evaluation(message: "a column that was not requested is read")

    /// Reads the current row if only its index entry was read.
    private func completeRow(_ plan: TablePlan) throws {
        if batch.rows[position].entry == nil { return }
        let key = RowKey(resource: batch.resource, type: plan.table.type, key: batch.rows[position].key)
        try run.read(key.resource) { view, place in
            guard let row = try view.row(at: key, in: place) else {
                let reason = FormatError.invalidValue(field: "entry", value: key.resource.id)
                throw StoreError.damaged(table: "indexes", reason: reason)
            }
            batch.complete(at: position, row, plan.needs)
        }
        run.countRows(1, plan)
    }

    private func fill() throws {
        if feed == nil { return batch.removeAll() }
        try feed?.next(batchLimit, run, into: &batch)
        position = 0
        batchLimit = min(batchLimit * 4, Self.largestBatch)
    }
}

extension TablePlan {
    /// Returns the value of a declared column if the entry of an index holds it exactly.
    ///
    /// An entry holds 1 for both 1 and 1.0, and in an index without regard to case the text in lower case.
    fileprivate func entryValue(_ row: FetchedRow, _ column: Int) -> SQLValue? {
        guard case .index(let index, column) = access, let value = row.entry else { return Optional.none }
        switch value {
        case .null, .real: return SQLValue(value)
        case .text where index.definition.collation == .binary: return SQLValue(value)
        case .text, .integer, .blob: return Optional.none
        }
    }

    /// Returns the rows of the plan, given the values of its constraints.
    func feed(_ arguments: [SQLValue?], _ run: QueryRun) throws -> any RowFeed {
        let all = try run.resources(of: table)
        let resources = selectsResources ? all.filter { isWanted($0, arguments) } : all
        switch access {
        case .scan: return KeyFeed(self, resources: resources, segments: [.all])
        case .key:
            var bounds = KeyBounds()
            for (use, argument) in zip(uses, arguments) where use.column == .key {
                bounds.narrow(use.comparison, argument)
            }
            let segments = try bounds.segments {
                try resources.contains { try run.hasSpelledNumbers($0, type: table.type) }
            }
            return KeyFeed(self, resources: resources, segments: segments)
        case .index(let index, let column) where isExact:
            let segments = exactRange(of: column, arguments).map { [IndexSegment(range: $0)] } ?? []
            return IndexFeed(self, index, resources: resources, segments: segments)
        case .index(let index, let column):
            var bounds = IndexBounds(index.definition.collation, table.columns[column].affinity)
            for (use, argument) in zip(uses, arguments) where use.column == .declared(column) {
                bounds.narrow(use.comparison, argument)
            }
            return IndexFeed(self, index, resources: resources, segments: bounds.segments())
        }
    }

    /// Returns the range of the entries that fulfil the constraints, where these decide alone; nil for none.
    private func exactRange(of column: Int, _ arguments: [SQLValue?]) -> IndexRange? {
        let comparisons = zip(uses, arguments).filter { use, _ in use.column == .declared(column) }
        return IndexBounds.exactRange(comparisons.map { ($0.comparison, $1) })
    }

    /// Returns the number of rows, counted by the entries of an index; nil where it does not decide alone, or where
    /// columns of the rows are read.
    fileprivate func entryCount(_ arguments: [SQLValue?], _ run: QueryRun) throws -> Int? {
        guard isExact, needs.isNothing, case .index(let index, let column) = access else { return nil }
        guard let range = exactRange(of: column, arguments) else { return 0 }
        guard range.isExact(index.definition.collation) else { return nil }
        let resources = try run.resources(of: table)
        if try resources.contains(where: { try run.read($0) { _, place in place.hasOverlays } }) { return nil }
        var count = 0
        for resource in resources {
            var next: [UInt8]?
            repeat {
                let limit = QueryRun.watchInterval
                let part = try run.read(resource) { view, place in
                    try view.countEntries(of: index, in: place, range: range, from: &next, limit: limit)
                }
                run.countEntries(part)
                count += part
                if !run.mayContinue(after: part) { throw QueryError.interrupted(run.interruption ?? .cancelled) }
            } while next != nil
        }
        return count
    }

    /// Whether a resource can have rows that fulfil the constraints. Only plain equality is checked.
    private func isWanted(_ resource: ResourceKey, _ arguments: [SQLValue?]) -> Bool {
        zip(uses, arguments).allSatisfy { use, argument in
            switch (use.column, use.comparison, argument) {
            case (.resourceID, .equal, .integer(let id)): id == resource.id
            case (.resourceGroup, .equal, .text(let group)): group.utf8.elementsEqual(resource.group.utf8)
            default: true
            }
        }
    }
}
