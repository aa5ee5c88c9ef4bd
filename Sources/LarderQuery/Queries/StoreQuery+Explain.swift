internal import LarderStore

extension StoreQuery {
    /// Returns the plan of a statement: SQLite's own query plan, with the use of keys and indexes in plain words.
    ///
    /// The statement is prepared, not run. The later value of a parameter may change the plan, by what is then known of
    /// the values, but never what is found.
    ///
    /// - Parameters: as those of ``rows(_:_:)``.
    /// - Returns: one line for each step, those within another one indented.
    /// - Throws: as ``rows(_:_:)``.
    public func explain(_ sql: String, _ arguments: [SQLValue] = []) throws -> [String] {
        try run("EXPLAIN QUERY PLAN " + sql, arguments) { statement, run in
            var lines: [String] = []
            var depths: [Int64: Int] = [:]
            while try statement.step() {
                let depth = statement.value(at: 1).integer.flatMap { depths[$0] }.map { $0 + 1 } ?? 0
                if let id = statement.value(at: 0).integer { depths[id] = depth }
                let detail = statement.value(at: 3).text ?? ""
                lines.append(String(repeating: "  ", count: depth) + Self.plainText(detail, run))
            }
            return lines
        }
    }

    /// Returns a line of the plan, with the number of a table's plan replaced by words.
    private static func plainText(_ detail: String, _ run: QueryRun) -> String {
        let mark = " VIRTUAL TABLE INDEX "
        guard let place = detail.firstRange(of: mark) else { return detail }
        let number = detail[place.upperBound...].prefix { $0 != ":" }
        guard let number = Int(number), run.plans.indices.contains(number) else { return detail }
        let name = detail[..<place.lowerBound].split(separator: " ", maxSplits: 1).last.map { String($0) } ?? ""
        return "\(name): \(run.plans[number].explanation)"
    }
}

extension TablePlan {
    /// The plan in plain words.
    var explanation: String {
        let order = isOrdered ? ", in the wanted order" : ""
        switch access {
        case .scan: return isCount ? "counts its rows" : "reads every row"
        case .key: return "looks rows up by their key" + order
        case .index(let index, let column):
            let name = "the index \"\(index.definition.name)\""
            let isNarrowed = uses.contains { $0.column == .declared(column) }
            let what = isNarrowed ? "reads the rows that \(name) finds by" : "reads every row by \(name) over"
            return "\(what) \(table.columns[column].name)\(order)"
        }
    }
}
