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

    func plan(_ request: PlanRequest) throws -> PlanAnswer {
        if !definition.isPersistent() { throw QueryError.memoryOnly(table: definition.name) }
        return try Planner(definition, session.current).plan(request)
    }

    func makeCursor() -> any VirtualCursor { RowCursor(session.current) }
}

/// A position in a table over rows.
final class RowCursor: VirtualCursor {
    /// The batches grow: a statement that wants one row should not cost many.
    private static let firstBatch = 4
    private static let largestBatch = 256

    private let run: QueryRun
    private var plan: TablePlan?
    private var feed: (any RowFeed)?
    private var batch: [FetchedRow] = []
    private var position = 0
    private var batchLimit = firstBatch

    init(_ run: QueryRun) {
        self.run = run
    }

    func filter(plan number: Int, arguments: [SQLValue?]) throws {
        let plan = run.begin(number)
        self.plan = plan
        feed = try plan.feed(arguments, run)
        batchLimit = Self.firstBatch
        try fill()
    }

    func next() throws {
        position += 1
        if position == batch.count { try fill() }
    }

    var isAtEnd: Bool { position >= batch.count }

    func value(ofColumn column: Int) throws -> SQLValue {
        guard let plan, position < batch.count else { return .null }
        let row = batch[position]
        switch ColumnLayout.column(column, declared: plan.table.columns.count) {
        case .key: return .text(row.key.key)
        case .declared(let index): return plan.needs.slots[index].map { SQLValue(row.values[$0]) } ?? .null
        case .updatedAt: return .integer(row.updatedAt)
        case .payload: return row.payload
        case .resourceGroup: return .text(row.key.resource.group)
        case .resourceID: return .integer(row.key.resource.id)
        case nil: return .null
        }
    }

    private func fill() throws {
        batch = try feed?.next(batchLimit, run) ?? []
        position = 0
        batchLimit = min(batchLimit * 4, Self.largestBatch)
    }
}

extension TablePlan {
    /// The rows of the plan, given the values of its constraints.
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
            var bounds = IndexBounds(index.definition.collation)
            for (use, argument) in zip(uses, arguments) where use.column == .declared(column) {
                bounds.narrow(use.comparison, argument)
            }
            return IndexFeed(self, index, resources: resources, segments: bounds.segments())
        }
    }

    /// Whether a resource can have rows that the constraints leave. Only plain equality is looked at.
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
