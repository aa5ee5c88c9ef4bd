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
    private var batch: [FetchedRow] = []
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
        batchLimit = Self.firstBatch
        uncounted = plan.isCount ? try run.storedCount(of: plan.table) ?? 0 : 0
        if uncounted == 0 { feed = try plan.feed(arguments, run) }
        try fill()
    }

    func next() throws {
        if uncounted > 0 { return uncounted -= 1 }
        position += 1
        if position == batch.count { try fill() }
    }

    var isAtEnd: Bool { uncounted == 0 && position >= batch.count }

    func value(ofColumn column: Int) throws -> SQLValue {
        guard let plan, position < batch.count else { return .null }
        let key = batch[position].key
        switch ColumnLayout.column(column, declared: plan.table.columns.count) {
        case .key: return .text(key.key)
        case .declared(let index):
            if let value = plan.entryValue(batch[position], index) { return value }
            let row = try wholeRow(plan)
            return plan.needs.slots[index].map { SQLValue(row.values[$0]) } ?? .null
        case .updatedAt: return .integer(try wholeRow(plan).updatedAt)
        case .payload: return try wholeRow(plan).payload
        case .resourceGroup: return .text(key.resource.group)
        case .resourceID: return .integer(key.resource.id)
        case nil: return .null
        }
    }

    /// Returns the current row, and reads it if only its index entry was read.
    private func wholeRow(_ plan: TablePlan) throws -> FetchedRow {
        let known = batch[position]
        if known.entry == nil { return known }
        let row = try run.store.read { view in
            guard let row = try view.row(at: known.key) else {
                let reason = FormatError.invalidValue(field: "entry", value: known.key.resource.id)
                throw StoreError.damaged(table: "indexes", reason: reason)
            }
            return FetchedRow(known.key, row, plan.needs)
        }
        run.countRows(1, plan)
        batch[position] = row
        return row
    }

    private func fill() throws {
        batch = try feed?.next(batchLimit, run) ?? []
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
        let resources = try run.resources(of: table).filter { isWanted($0, arguments) }
        switch access {
        case .scan: return KeyFeed(self, resources: resources, segments: [.all])
        case .key:
            var bounds = KeyBounds()
            for (use, argument) in zip(uses, arguments) where use.column == .key {
                bounds.narrow(use.comparison, argument)
            }
            return KeyFeed(self, resources: resources, segments: bounds.segments())
        case .index(let index, let column):
            var bounds = IndexBounds(index.definition.collation, table.columns[column].affinity)
            for (use, argument) in zip(uses, arguments) where use.column == .declared(column) {
                bounds.narrow(use.comparison, argument)
            }
            return IndexFeed(self, index, resources: resources, segments: bounds.segments())
        }
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
