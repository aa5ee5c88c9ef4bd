/// Chooses how to read a table for a set of constraints, by the fewest rows.
///
/// No constraint is taken off SQLite's hands: what is chosen here may find too many rows, never too few.
struct Planner {
    private let table: TableDefinition
    private let run: QueryRun

    init(_ table: TableDefinition, _ run: QueryRun) {
        self.table = table
        self.run = run
    }

    /// A way to read the table, with what it costs.
    private struct Candidate {
        var access: TablePlan.Access
        /// The positions of the constraints that narrow it.
        var used: [Int]
        var rows: Double
        var isUnique = false
        var isOrdered = false
        var isReversed = false

        /// What reading costs, in rows of a scan: the first step of a lookup costs more than the next row.
        var cost: Double {
            switch access {
            case .scan: rows
            case .key: rows + 2
            }
        }
    }

    func plan(_ request: PlanRequest) throws -> PlanAnswer {
        let total = max(1, Double(try run.rowCount(of: table)))
        let resources = try run.resources(of: table).count
        var candidates = [Candidate(access: .scan, used: [], rows: total)]
        if let byKey = byKey(request, total, resources) { candidates.append(byKey) }
        let best = candidates.min { $0.cost < $1.cost } ?? candidates[0]
        return answer(best, request)
    }

    private func answer(_ candidate: Candidate, _ request: PlanRequest) -> PlanAnswer {
        var used = [Bool](repeating: false, count: request.constraints.count)
        for index in candidate.used + resourceConstraints(request) { used[index] = true }
        let uses = zip(request.constraints, used).compactMap { constraint, isUsed in
            isUsed ? constraint.flatMap(use) : nil
        }
        let number = run.add(
            TablePlan(
                table: table, access: candidate.access, uses: uses, isOrdered: candidate.isOrdered,
                isReversed: candidate.isReversed, needs: ColumnNeeds(request.columns, of: table)))
        return PlanAnswer(
            used: used, number: number, isOrdered: candidate.isOrdered, isUnique: candidate.isUnique,
            cost: candidate.cost, rows: Int64(max(1, candidate.rows)))
    }

    private func use(_ constraint: PlanRequest.Constraint) -> TablePlan.Use? {
        ColumnLayout.column(constraint.column, declared: table.columns.count).map {
            TablePlan.Use(column: $0, comparison: constraint.comparison)
        }
    }

    /// Reading by the key, when a constraint says something about it.
    private func byKey(_ request: PlanRequest, _ total: Double, _ resources: Int) -> Candidate? {
        var used: [Int] = []
        var share = 1.0
        var isPoint = false
        for (index, constraint) in request.constraints.enumerated() {
            guard let constraint, column(constraint) == .key, KeyBounds.understands(constraint) else { continue }
            used.append(index)
            if constraint.comparison.isEquality { isPoint = true } else { share *= Selectivity.range }
        }
        if used.isEmpty { return nil }
        let rows = isPoint ? Double(max(1, resources)) : total * share
        // Text that looks like a number may be taken for one, so equality alone does not mean one row.
        return Candidate(access: .key, used: used, rows: rows)
    }

    /// Constraints on the resource narrow every way to read a table.
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

    private func column(_ constraint: PlanRequest.Constraint) -> ColumnLayout.Column? {
        ColumnLayout.column(constraint.column, declared: table.columns.count)
    }
}

/// What part of the rows a constraint leaves, where nothing is known about the values.
enum Selectivity {
    static let equality = 0.01
    static let range = 0.25
}

extension Comparison {
    var isEquality: Bool { self == .equal || self == .same }
}

extension KeyBounds {
    /// Whether a constraint on the key can be used: in the key's own order, or without one.
    static func understands(_ constraint: PlanRequest.Constraint) -> Bool {
        switch constraint.comparison {
        case .equal, .same, .less, .lessOrEqual, .greater, .greaterOrEqual: constraint.collation == "BINARY"
        case .isNull, .like, .glob: true
        case .isNotNull: false
        }
    }
}
