#if Postgres
import LarderServer

/// The statements that change content, and those that read single values.
enum ContentTable {
    static func head(_ transaction: inout PostgresTransaction) throws -> SyncHead {
        let rows = try transaction.query("SELECT sequence, removed_through, epoch FROM larder.head")
        guard let row = rows.first, let sequence = try row.integer(0), let removed = try row.integer(1),
            let epoch = try row.integer(2)
        else { throw PostgresError.unexpectedValue(column: 0) }
        return SyncHead(sequence: sequence, removedThrough: removed, epoch: epoch)
    }

    static func secret(_ transaction: inout PostgresTransaction) throws -> TokenSecret {
        let bytes = try transaction.query("SELECT secret FROM larder.head").first?.bytes(0) ?? []
        guard bytes.count == 16 else { throw PostgresError.unexpectedValue(column: 0) }
        func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        return TokenSecret(word(bytes[..<8]), word(bytes[8...]))
    }

    // MARK: Groups

    /// Stores the rules of groups that have none.
    ///
    /// - Throws: ``GroupRulesConflict`` for a group that has others.
    static func add(_ groups: GroupTable, _ transaction: inout PostgresTransaction) throws {
        for (name, rules) in groups.all {
            let isNew = try transaction.execute(
                """
                INSERT INTO larder.groups VALUES ($1, $2, $3, $4::text[], $5) ON CONFLICT DO NOTHING
                """,
                [
                    .text(name), rules.defaultRecordType.map(PostgresValue.text) ?? .null,
                    .bool(rules.carriesRecordType), rules.keyMembers.map { .texts($0) } ?? .null,
                    .bool(rules.carriesContentID),
                ])
            let stored = try self.rules(of: name, &transaction)
            if isNew == 0, stored != rules { throw GroupRulesConflict(group: name) }
        }
    }

    static func rules(of group: String, _ transaction: inout PostgresTransaction) throws -> GroupRules {
        let rows = try transaction.query(
            """
            SELECT default_record_type, carries_record_type, carries_content_id, member
            FROM larder.groups LEFT JOIN LATERAL unnest(key_members) WITH ORDINALITY AS m (member, place) ON true
            WHERE name = $1 ORDER BY place
            """, [.text(group)])
        guard let first = rows.first else { return GroupTable.openRules }
        return GroupRules(
            defaultRecordType: first.text(0), carriesRecordType: try first.bool(1) ?? true,
            keyRule: GroupRules.KeyRule(members: rows.compactMap { $0.text(3) }),
            carriesContentID: try first.bool(2) ?? false)
    }

    // MARK: Resources

    /// Returns whether a resource is public; `nil` where there is none.
    ///
    /// - Parameter lock: The lock that is taken, as a clause of SELECT.
    static func isPublic(
        _ resource: Origin.ResourceID, _ transaction: inout PostgresTransaction, lock: String = ""
    ) throws -> Bool? {
        let sql = "SELECT is_public FROM larder.resources WHERE resource_group = $1 AND resource_id = $2 "
        return try transaction.query(sql + lock, resource.parameters).first?.bool(0)
    }

    static func publicResources(_ transaction: inout PostgresTransaction) throws -> [Origin.ResourceID] {
        try transaction.query(
            "SELECT resource_group, resource_id FROM larder.resources WHERE is_public ORDER BY 1, 2"
        ).map { row in try Origin.ResourceID(row, 0) }
    }

    /// Creates a public resource; returns whether there was none.
    static func create(_ resource: Origin.ResourceID, _ transaction: inout PostgresTransaction) throws -> Bool {
        try transaction.execute(
            "INSERT INTO larder.resources (resource_group, resource_id) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            resource.parameters) == 1
    }

    static func setPublic(
        _ isPublic: Bool, _ resource: Origin.ResourceID, reason: String?, _ transaction: inout PostgresTransaction
    ) throws {
        try transaction.execute(
            "UPDATE larder.resources SET is_public = $3, reason = $4 WHERE resource_group = $1 AND resource_id = $2",
            resource.parameters + [.bool(isPublic), reason.map(PostgresValue.text) ?? .null])
    }

    static func touch(_ resource: Origin.ResourceID, _ transaction: inout PostgresTransaction) throws {
        try transaction.query("SELECT larder.touch($1, $2)", resource.parameters)
    }

    // MARK: Rows

    /// Returns rows as they are sent over the wire, each once: at its first place, with its last body.
    static func wireRows(_ rows: [Origin.Row], _ rules: GroupRules) throws(OriginError) -> [Origin.Row] {
        var found: [Origin.Row] = []
        var places: [Origin.RowKey: Int] = [:]
        for row in rows {
            let row = Origin.Row(row.key, body: try rules.wireBody(of: row))
            if let place = places[row.key] {
                found[place] = row
            } else {
                places[row.key] = found.count
                found.append(row)
            }
        }
        return found
    }

    /// Inserts or replaces rows, 1000 with a statement.
    static func insert(
        _ rows: [Origin.Row], into resource: Origin.ResourceID, _ transaction: inout PostgresTransaction
    ) throws {
        for start in stride(from: 0, to: rows.count, by: 1000) {
            let batch = rows[start..<min(start + 1000, rows.count)]
            var parameters = resource.parameters
            var values: [String] = []
            for row in batch {
                let next = parameters.count
                values.append("($1, $2, $\(next + 1), $\(next + 2), $\(next + 3)::json)")
                parameters += [
                    .text(row.key.type), .text(row.key.key), .text(String(decoding: row.body, as: UTF8.self)),
                ]
            }
            try transaction.execute(
                """
                INSERT INTO larder.rows (resource_group, resource_id, record_type, record_key, body)
                VALUES \(values.joined(separator: ", "))
                ON CONFLICT (resource_group, resource_id, record_type, record_key) DO UPDATE SET body = excluded.body
                """, parameters)
        }
    }

    /// Deletes a row; returns whether there was one.
    static func delete(
        _ key: Origin.RowKey, of resource: Origin.ResourceID, _ transaction: inout PostgresTransaction
    ) throws -> Bool {
        try transaction.execute(
            """
            DELETE FROM larder.rows
            WHERE resource_group = $1 AND resource_id = $2 AND record_type = $3 AND record_key = $4
            """, resource.parameters + [.text(key.type), .text(key.key)]) == 1
    }

    /// Deletes all rows before they are replaced, and logs that.
    static func removeRows(of resource: Origin.ResourceID, _ transaction: inout PostgresTransaction) throws {
        try transaction.query("SELECT larder.replace_rows($1, $2)", resource.parameters)
    }

    static func rows(of resource: Origin.ResourceID, _ transaction: inout PostgresTransaction) throws -> [Origin.Row] {
        try transaction.query(
            """
            SELECT record_type, record_key, body FROM larder.rows
            WHERE resource_group = $1 AND resource_id = $2 ORDER BY position
            """, resource.parameters
        ).map { row in Origin.Row(try Origin.RowKey(row, 0), body: try row.json(2)) }
    }

    // MARK: The log

    /// Refuses runs that need a change below a number; nothing is deleted yet.
    static func forget(before sequence: Int64, _ transaction: inout PostgresTransaction) throws {
        try transaction.query("SELECT larder.remove_changes($1, 0)", [.integer(sequence)])
    }

    /// Deletes some of the forgotten changes; returns whether others are left.
    static func removeForgotten(_ transaction: inout PostgresTransaction) throws -> Bool {
        try transaction.query("SELECT larder.remove_changes(0)").first?.bool(0) ?? false
    }

    static func invalidateTokens(_ transaction: inout PostgresTransaction) throws {
        try transaction.query("SELECT larder.invalidate_tokens()")
    }
}

extension Origin.ResourceID {
    /// The first parameters of a statement about the resource.
    var parameters: [PostgresValue] { [.text(group), .integer(id)] }

    /// Reads the name in two columns from `column` on.
    init(_ row: PostgresRow, _ column: Int) throws(PostgresError) {
        guard let group = row.text(column), let id = try row.integer(column + 1) else {
            throw .unexpectedValue(column: column)
        }
        self.init(group, id)
    }
}

extension Origin.RowKey {
    /// Reads the name in two columns from `column` on.
    init(_ row: PostgresRow, _ column: Int) throws(PostgresError) {
        guard let type = row.text(column), let key = row.text(column + 1) else {
            throw .unexpectedValue(column: column)
        }
        self.init(type, key)
    }
}

extension PostgresRow {
    /// Returns the bytes of the JSON text in a column.
    func json(_ column: Int) throws(PostgresError) -> [UInt8] {
        guard let bytes = values[column] else { throw .unexpectedValue(column: column) }
        return bytes
    }
}

extension PostgresValue {
    /// An array of texts, in the form that PostgreSQL reads.
    static func texts(_ texts: some Sequence<String>) -> PostgresValue {
        let quoted = texts.map { text in
            "\"" + text.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "\""
        }
        return .text("{" + quoted.joined(separator: ",") + "}")
    }
}

extension GroupRules {
    /// The members that a key is made of; `nil` for a `record_key` in the row.
    fileprivate var keyMembers: [String]? {
        switch keyRule {
        case .id: ["id"]
        case .members(let names): names
        case .recordKey: nil
        }
    }
}

extension GroupRules.KeyRule {
    fileprivate init(members: [String]) {
        self = members.isEmpty ? .recordKey : members == ["id"] ? .id : .members(members)
    }
}
#endif
