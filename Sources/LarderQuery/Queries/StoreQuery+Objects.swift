extension StoreQuery {
    /// Returns the objects of a table that fulfil a condition in SQL, without the network.
    ///
    /// The clauses must be the program's own text; values from outside belong in `arguments`.
    ///
    /// - Parameters:
    ///   - table: the name of the table.
    ///   - condition: the text after `WHERE`, such as `price < ? AND name LIKE 'a%'`; nil: every object.
    ///   - arguments: the values of the parameters in condition and order.
    ///   - order: the text after `ORDER BY`, such as `name DESC`; nil: any order.
    ///   - limit: the most objects; nil: all.
    /// - Throws: as ``rows(_:_:)``.
    public func objects(
        of table: String, where condition: String? = nil, _ arguments: [SQLValue] = [], order: String? = nil,
        limit: Int? = nil
    ) throws -> QueryResults<QueryObject> {
        var sql = Self.objectColumns(table)
        // The line breaks end comments in the clauses; the parentheses keep the condition one.
        if let condition { sql += " WHERE (\(condition)\n)" }
        if let order { sql += " ORDER BY \(order)\n" }
        return try objects(sql, arguments, table, limit)
    }

    /// Returns the objects of a table that fulfil a condition.
    ///
    /// - Parameters:
    ///   - table: the name of the table.
    ///   - predicate: the condition.
    ///   - order: the orders to sort by, the first of them first; empty: any order.
    ///   - limit: the most objects; nil: all.
    /// - Throws: as ``rows(_:_:)``; ``QueryError/unknownColumn(_:offset:)`` for a column that the table does not have.
    public func objects(
        of table: String, where predicate: QueryPredicate, order: [Order] = [], limit: Int? = nil
    ) throws -> QueryResults<QueryObject> {
        let (condition, arguments) = predicate.sql(of: table)
        var sql = Self.objectColumns(table) + " WHERE " + condition
        if !order.isEmpty { sql += " ORDER BY " + order.map { $0.sql(of: table) }.joined(separator: ", ") }
        return try objects(sql, arguments, table, limit)
    }

    private static func objectColumns(_ table: String) -> String {
        let columns = ["resource_group", "resource_id", "key", "updated_at", "payload"]
        // The table qualifies the columns: SQLite would otherwise read a misspelt name in quotes as a text.
        return "SELECT " + columns.map { "\(table.quotedName).\($0)" }.joined(separator: ", ")
            + " FROM \(table.quotedName)"
    }

    private func objects(
        _ sql: String, _ arguments: [SQLValue], _ table: String, _ limit: Int?
    ) throws -> QueryResults<QueryObject> {
        let definition = try definition(of: table)
        if let limit { precondition(limit >= 0, "a limit of \(limit)") }
        var objects: [QueryObject] = []
        if limit == 0 { return QueryResults(elements: objects, facts: QueryFacts()) }
        let bounded = limit.map { sql + " LIMIT \($0)" } ?? sql
        let facts = try forEachRow(bounded, arguments) { row in
            objects.append(QueryObject(row, type: definition.type))
            return true
        }
        return QueryResults(elements: objects, facts: facts)
    }
}
