internal import LarderFormat
internal import LarderStore

/// Selects the plan that reads a table for a set of constraints with the least work.
///
/// SQLite still checks every constraint: a plan may find too many rows, never too few.
struct Planner {
    private let table: TableDefinition
    private let run: QueryRun
    private let resources: [ResourceKey]
    /// The rows of the table, at least 1.
    private let total: Double
    /// The most entries of an index that are counted for an estimate.
    private var most: Int { 200 }

    init(_ table: TableDefinition, _ run: QueryRun) throws {
        self.table = table
        self.run = run
        resources = try run.resources(of: table)
        total = max(1, Double(try run.rowCount(of: table)))
    }

    func plan(_ request: PlanRequest) throws -> PlanResult {
        var best = PlanCandidate(access: .scan, rows: total)
        var candidates = [byKey(request)].compactMap { $0 }
        for index in try run.indexes() {
            for column in table.columns.indices where covers(index, column) {
                if let candidate = try byIndex(index, column, request) { candidates.append(candidate) }
            }
        }
        for candidate in candidates where candidate.cost(request.order) < best.cost(request.order) { best = candidate }
        return result(best, request)
    }

    private func result(_ candidate: PlanCandidate, _ request: PlanRequest) -> PlanResult {
        var used = [Bool](repeating: false, count: request.constraints.count)
        for index in candidate.used + resourceConstraints(request) { used[index] = true }
        let uses = zip(request.constraints, used).compactMap { constraint, isUsed in
            isUsed ? constraint.flatMap(use) : nil
        }
        var columns = run.readsKeys ? request.columns | ColumnNeeds.key : request.columns
        var omitted = [Bool](repeating: false, count: used.count)
        if candidate.isExact, case .index(_, let column) = candidate.access,
            let others = ColumnNeeds.mask(columns, without: column)
        {
            columns = others
            for index in candidate.used { omitted[index] = true }
        }
        let isExact = omitted.contains(true)
        let number = run.add(
            TablePlan(
                table, candidate.access, uses: uses, isOrdered: candidate.isOrdered,
                isReversed: candidate.isReversed, isExact: isExact, needs: ColumnNeeds(columns, of: table)))
        return PlanResult(
            used: used, omitted: omitted, number: number, isOrdered: candidate.isOrdered, cost: candidate.work,
            rows: Int64(max(1, candidate.rows)))
    }

    private func use(_ constraint: PlanRequest.Constraint) -> TablePlan.Use? {
        column(constraint).map { TablePlan.Use(column: $0, comparison: constraint.comparison) }
    }

    private func column(_ constraint: PlanRequest.Constraint) -> ColumnLayout.Column? {
        ColumnLayout.column(constraint.column, declared: table.columns.count)
    }

    /// Returns the positions of constraints on the resource, which narrow every way to read a table.
    private func resourceConstraints(_ request: PlanRequest) -> [Int] {
        request.constraints.indices.filter { index in
            guard let constraint = request.constraints[index], constraint.comparison == .equal else { return false }
            switch column(constraint) {
            case .resourceID: return true
            case .resourceGroup: return constraint.collation == "BINARY"
            default: return false
            }
        }
    }
}

extension Planner {
    /// Returns the way by the key, if a constraint limits it.
    private func byKey(_ request: PlanRequest) -> PlanCandidate? {
        var candidate = PlanCandidate(access: .key, rows: total)
        var isPoint = false
        for (index, constraint) in request.constraints.enumerated() {
            guard let constraint, column(constraint) == .key, KeyBounds.supports(constraint) else { continue }
            candidate.used.append(index)
            if constraint.comparison.isEquality { isPoint = true } else { candidate.rows *= Selectivity.range }
        }
        if candidate.used.isEmpty { return nil }
        // A key may exist in every resource.
        if isPoint { candidate.rows = min(total, Double(resources.count)) }
        return candidate
    }

    /// Whether an index holds the values of a column for all rows of the table.
    private func covers(_ index: SecondaryIndex, _ column: Int) -> Bool {
        index.definition.path == table.columns[column].path
            && index.definition.type.utf8.elementsEqual(table.type.utf8)
            && resources.allSatisfy { index.covers($0) }
    }

    /// Returns the way by an index, if a constraint limits its column, or the order is its own.
    private func byIndex(_ index: SecondaryIndex, _ column: Int, _ request: PlanRequest) throws -> PlanCandidate? {
        let collation = index.definition.collation
        var candidate = PlanCandidate(access: .index(index, column: column), rows: total)
        var bounds = IndexBounds(collation, table.columns[column].affinity)
        var areKnown = true
        var share = 1.0
        let names = table.columns.map(\.name)
        for (position, constraint) in request.constraints.enumerated() {
            guard let constraint, self.column(constraint) == .declared(column),
                IndexBounds.supports(constraint, collation),
                !run.memberships.mayCause(constraint, on: names[column], of: names)
            else { continue }
            candidate.used.append(position)
            share *= try self.share(constraint, index)
            if constraint.value == nil, constraint.comparison.hasValue { areKnown = false }
            bounds.narrow(constraint.comparison, constraint.value)
        }
        if let term = request.order.first, request.order.count == 1, resources.count <= 1,
            ColumnLayout.column(term.column, declared: table.columns.count) == .declared(column),
            table.columns[column].collation.rawValue == collation.sqlName
        {
            candidate.isOrdered = true
            candidate.isReversed = term.isDescending
        }
        if candidate.used.isEmpty, !candidate.isOrdered { return nil }
        candidate.isExact =
            !candidate.used.isEmpty && collation == .binary && table.columns[column].affinity == .none
            && run.comparisons.columns.contains(names[column].uppercased())
            && candidate.used.allSatisfy { IndexBounds.isExact(request.constraints[$0], at: $0) }
        candidate.rows = areKnown && !candidate.used.isEmpty ? try count(index, bounds) : total * share
        return candidate
    }

    /// Returns the share of the rows that a constraint on the column of an index leaves.
    private func share(_ constraint: PlanRequest.Constraint, _ index: SecondaryIndex) throws -> Double {
        guard constraint.comparison.isEquality, constraint.value == nil else {
            return constraint.comparison.selectivity
        }
        let count = try run.entriesOfOneValue(of: index, in: resources, limit: most)
        return min(1, count < most ? Double(max(1, count)) / total : max(Double(most) / total, Selectivity.equality))
    }

    /// Returns the number of entries of an index within bounds, or, from ``most`` on, a share of all rows.
    private func count(_ index: SecondaryIndex, _ bounds: IndexBounds) throws -> Double {
        let count = try CommitContent.estimate(run.store) { view in
            var count = 0
            for resource in resources {
                for range in bounds.likelyRanges() where count < most {
                    count += try view.indexEntryCount(of: index, in: resource, range: range, limit: most - count)
                }
            }
            return count
        }
        guard let count else { return total * Selectivity.range }
        return count < most ? Double(count) : max(Double(most), total * Selectivity.range)
    }
}

/// A way to read a table, with its cost.
struct PlanCandidate {
    let access: TablePlan.Access
    /// The positions of the constraints that narrow it.
    var used: [Int] = []
    /// The number of rows that are read.
    var rows: Double
    var isOrdered = false
    var isReversed = false
    /// Whether the entries of its index decide alone about its constraints.
    var isExact = false

    init(access: TablePlan.Access, rows: Double) {
        self.access = access
        self.rows = rows
    }

    /// The cost of reading, in rows of a scan: a lookup costs more than the next row, and a first one more again.
    var work: Double {
        switch access {
        case .scan: rows
        case .key: rows + 1
        case .index: rows * 3 + 2
        }
    }

    /// Returns the work, including that of sorting when the rows are requested in another order.
    func cost(_ order: [PlanRequest.Term]) -> Double {
        guard !order.isEmpty, !isOrdered, rows > 1 else { return work }
        var doublings = 0.0
        var size = rows
        while size > 1 {
            doublings += 1
            size /= 2
        }
        return work + rows * doublings * 0.2
    }
}

/// The share of the rows that a constraint leaves, where nothing is known about the values.
enum Selectivity {
    static let equality = 0.01
    static let range = 0.25
    static let present = 0.9
}

extension Comparison {
    var isEquality: Bool { self == .equal || self == .same }

    /// Whether it compares with a value.
    var hasValue: Bool { self != .isNull && self != .isNotNull }

    fileprivate var selectivity: Double {
        switch self {
        case .equal, .same, .isNull: Selectivity.equality
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .like, .glob: Selectivity.range
        case .isNotNull: Selectivity.present
        }
    }
}

extension KeyBounds {
    /// Whether a constraint on the key can be used: it compares in the key's own order, or needs none.
    static func supports(_ constraint: PlanRequest.Constraint) -> Bool {
        switch constraint.comparison {
        case .equal, .same, .less, .lessOrEqual, .greater, .greaterOrEqual: constraint.collation == "BINARY"
        case .isNull, .like, .glob: true
        case .isNotNull: false
        }
    }
}

extension IndexBounds {
    /// Whether a constraint can be used by an index: it compares as the index does, or needs no order.
    static func supports(_ constraint: PlanRequest.Constraint, _ collation: IndexCollation) -> Bool {
        switch constraint.comparison {
        // Texts that are equal byte for byte are also equal without regard to case.
        case .equal, .same: constraint.collation == collation.sqlName || constraint.collation == "BINARY"
        case .less, .lessOrEqual, .greater, .greaterOrEqual: constraint.collation == collation.sqlName
        case .isNull, .isNotNull, .like, .glob: true
        }
    }
}

extension IndexBounds {
    /// Whether SQLite may leave the check of a constraint at this position to an index that compares byte for byte.
    fileprivate static func isExact(_ constraint: PlanRequest.Constraint?, at position: Int) -> Bool {
        // SQLite reads the permission for the first 16 constraints only.
        guard position < 16, let constraint, constraint.collation == "BINARY", !constraint.isMembership else {
            return false
        }
        return switch constraint.comparison {
        case .equal, .less, .lessOrEqual, .greater, .greaterOrEqual: true
        case .isNull, .isNotNull, .same, .like, .glob: false
        }
    }
}

extension IndexCollation {
    /// SQLite's name of the collation.
    var sqlName: String {
        switch self {
        case .binary: "BINARY"
        case .nocase: "NOCASE"
        }
    }
}
