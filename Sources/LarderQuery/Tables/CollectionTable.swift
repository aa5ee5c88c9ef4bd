internal import LarderFormat
internal import LarderStore

/// The members of every collection, in their order, as a table for joins with the tables of rows.
///
/// | column | |
/// | --- | --- |
/// | `class`, `query` | the name of the collection |
/// | `reference_key`, `reference_attribute` | the row and attribute it was fetched through, or null |
/// | `position` | the member's position, from 0 |
/// | `resource_group`, `resource_id`, `type`, `key` | the member, stored or not |
final class CollectionTable: VirtualTable {
    /// The name in statements.
    static let name = TableDefinition.collectionMembers

    // The session owns the connection, which owns its tables.
    private unowned let session: QuerySession

    init(_ session: QuerySession) {
        self.session = session
    }

    let schema = """
        CREATE TABLE members (class TEXT, query TEXT, reference_key NUMERIC, reference_attribute TEXT, position INTEGER,
        resource_group TEXT, resource_id INTEGER, type TEXT, "key" NUMERIC, collection INTEGER HIDDEN,
        PRIMARY KEY (collection, position)) WITHOUT ROWID
        """

    /// The columns whose values the cursor receives, by the number of the plan.
    private static let plans: [[Int]] = [[], [0], [1], [0, 1], [1, 0]]

    func plan(_ request: PlanRequest) throws -> PlanResult {
        var used = [Bool](repeating: false, count: request.constraints.count)
        var columns: [Int] = []
        for (index, constraint) in request.constraints.enumerated() {
            guard let constraint, constraint.comparison == .equal, constraint.collation == "BINARY",
                (0...1).contains(constraint.column), !columns.contains(constraint.column)
            else { continue }
            used[index] = true
            columns.append(constraint.column)
        }
        let rows = [10_000, 1000, 100][columns.count]
        let number = Self.plans.firstIndex(of: columns) ?? 0
        return PlanResult(used: used, number: number, cost: Double(rows), rows: Int64(rows))
    }

    func makeCursor() -> any VirtualCursor { CollectionCursor(self, session.current) }

    /// Returns the values that a plan's constraints require of class and query.
    fileprivate func wanted(_ plan: Int, _ arguments: [SQLValue?]) -> [(column: Int, text: String)] {
        zip(Self.plans[plan], arguments).compactMap { column, argument in argument?.text.map { (column, $0) } }
    }
}

/// A position among the members of collections: one collection is held at a time.
private final class CollectionCursor: VirtualCursor {
    private let table: CollectionTable
    private let run: QueryRun
    private var collections: [StoredCollection] = []
    private var keys: [RowKey] = []
    private var collection = 0
    private var position = 0

    init(_ table: CollectionTable, _ run: QueryRun) {
        self.table = table
        self.run = run
    }

    func filter(plan: Int, arguments: [SQLValue?]) throws {
        let wanted = table.wanted(plan, arguments)
        let className = wanted.first { $0.column == 0 }?.text
        let query = wanted.first { $0.column == 1 }?.text
        collections = try run.store.read { view in try view.collections(ofClass: className) }
            .filter { collection in query.map { collection.name.query.utf8.elementsEqual($0.utf8) } ?? true }
        collection = -1
        try enterNext()
    }

    func next() throws {
        position += 1
        if position == keys.count { try enterNext() }
    }

    var isAtEnd: Bool { collection >= collections.count }

    func value(ofColumn column: Int) throws -> SQLValue {
        guard !isAtEnd else { return .null }
        let name = collections[collection].name
        let key = keys[position]
        switch column {
        case 0: return .text(name.className)
        case 1: return .text(name.query)
        case 2: return name.reference.map { .text($0.row.key) } ?? .null
        case 3: return name.reference.map { .text($0.attribute) } ?? .null
        case 4: return .integer(Int64(position))
        case 5: return .text(key.resource.group)
        case 6: return .integer(key.resource.id)
        case 7: return .text(key.type)
        case 8: return .text(key.key)
        case 9: return .integer(collections[collection].number)
        default: return .null
        }
    }

    /// Moves to the first member of the next collection that has any.
    private func enterNext() throws {
        position = 0
        repeat {
            collection += 1
            if isAtEnd { return }
            let entered = collections[collection]
            keys = try run.store.read { view in try view.rowKeys(of: entered) }
        } while keys.isEmpty
    }
}
