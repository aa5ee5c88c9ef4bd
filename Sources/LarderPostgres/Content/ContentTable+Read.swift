#if Postgres
import LarderServer

/// The statements of one response. They run in one transaction of REPEATABLE READ: numbers have no gaps, so that the changes
/// after one number up to another are exactly those of the numbers between them.
extension ContentTable {
    /// The changes of a page, and the number after which the run goes on; `nil` where it ends.
    struct Scan {
        var changes: [Origin.Change]
        var next: Int64?

        /// - Parameters:
        ///   - found: One change more than the page holds, where there is one.
        ///   - end: The number of the last change that was examined.
        init(_ found: [Origin.Change], upTo end: Int64, of run: SyncRun) {
            changes = Array(found.prefix(run.pageSize))
            next = found.count > run.pageSize ? changes.last?.sequence : end < run.bound ? end : nil
        }
    }

    /// Returns those of the groups of a request that the origin knows; those of a cursor were known.
    static func knownGroups(of query: OriginQuery, _ transaction: inout PostgresTransaction) throws -> Set<String> {
        switch query.start {
        case .cursor: []
        case .bootstrap(let filter), .token(_, let filter):
            Set(
                try transaction.query(
                    """
                    SELECT g FROM unnest($1::text[]) AS g
                    WHERE EXISTS (SELECT FROM larder.groups WHERE name = g)
                        OR EXISTS (SELECT FROM larder.group_names WHERE name = g)
                    """, [.texts(filter.groups)]
                ).compactMap { $0.text(0) })
        }
    }

    static func groupsWithContentID(
        _ filter: ContentFilter, _ transaction: inout PostgresTransaction
    ) throws -> Set<String> {
        Set(
            try transaction.query(
                "SELECT name FROM larder.groups WHERE name = ANY ($1::text[]) AND carries_content_id",
                [.texts(filter.groups)]
            ).compactMap { $0.text(0) })
    }

    /// Returns what fits on the page of a run.
    static func scan(
        _ run: SyncRun, at head: SyncHead, _ transaction: inout PostgresTransaction
    ) throws -> Scan {
        // A client may give up after 100 pages without changes in a row; these are 40 at most.
        let window = max(Int64(Origin.scannedChanges), (head.sequence - head.removedThrough) / 40)
        return run.isBootstrap
            ? try publications(run, window, &transaction) : try changes(run, window, &transaction)
    }

    private static func parameters(of run: SyncRun, upTo end: Int64) -> [PostgresValue] {
        let resources = run.filter.resources
        return [
            .integer(run.position), .integer(end), .texts(run.filter.wholeGroups), .texts(resources.map(\.group)),
            .texts(resources.map { String($0.id) }), .integer(Int64(run.pageSize) + 1),
        ]
    }

    private static func changes(
        _ run: SyncRun, _ window: Int64, _ transaction: inout PostgresTransaction
    ) throws -> Scan {
        let end = min(run.bound, run.position + window)
        let rows = try transaction.query(
            """
            SELECT c.first + x.n, x.kind, x.resource_group, x.resource_id, x.record_type, x.record_key, x.body, x.reason,
                x.changed_at
            FROM larder.commits c CROSS JOIN LATERAL (
                SELECT * FROM larder.changes y
                WHERE y.commit = c.commit AND y.n > $1::bigint - c.first AND y.n <= $2::bigint - c.first
                    AND (y.resource_group = ANY ($3::text[])
                        OR (y.resource_group, y.resource_id) IN (SELECT * FROM unnest($4::text[], $5::bigint[])))
                ORDER BY y.n LIMIT $6::bigint) x
            WHERE c.first <= $2::bigint
                AND c.first >= coalesce((SELECT max(z.first) FROM larder.commits z WHERE z.first <= $1::bigint + 1), 0)
            ORDER BY c.first, x.n LIMIT $6::bigint
            """, parameters(of: run, upTo: end))
        return Scan(try rows.map { row in try Origin.Change(row) }, upTo: end, of: run)
    }

    private static func publications(
        _ run: SyncRun, _ window: Int64, _ transaction: inout PostgresTransaction
    ) throws -> Scan {
        // The number of the last resource that is examined, where others follow.
        let edge = try transaction.query(
            """
            SELECT CASE WHEN count(*) = 2 THEN min(e.published) END FROM (
                SELECT r.published FROM larder.resources r WHERE r.published > $1::bigint AND r.published <= $2::bigint
                ORDER BY r.published OFFSET $3::bigint - 1 LIMIT 2) e
            """, [.integer(run.position), .integer(run.bound), .integer(window)])
        let end = try edge.first?.integer(0) ?? run.bound
        let rows = try transaction.query(
            """
            SELECT r.published, 4, r.resource_group, r.resource_id, NULL, NULL, NULL, NULL, r.published_at
            FROM larder.resources r
            WHERE r.published > $1::bigint AND r.published <= $2::bigint
                AND (r.resource_group = ANY ($3::text[])
                    OR (r.resource_group, r.resource_id) IN (SELECT * FROM unnest($4::text[], $5::bigint[])))
            ORDER BY r.published LIMIT $6::bigint
            """, parameters(of: run, upTo: end))
        return Scan(try rows.map { row in try Origin.Change(row) }, upTo: end, of: run)
    }

    static func changedResources(
        after sequence: Int64, at head: SyncHead, _ transaction: inout PostgresTransaction
    ) throws -> ChangedResources {
        guard sequence < head.sequence else { return ChangedResources(sequence: head.sequence, resources: []) }
        guard sequence >= head.removedThrough, head.sequence - sequence <= ChangedResources.mostChanges else {
            return ChangedResources(sequence: head.sequence, resources: nil)
        }
        let rows = try transaction.query(
            """
            SELECT DISTINCT x.resource_group, x.resource_id FROM larder.commits c JOIN larder.changes x USING (commit)
            WHERE c.first >= coalesce((SELECT max(z.first) FROM larder.commits z WHERE z.first <= $1::bigint + 1), 0)
                AND c.first + x.n > $1::bigint
            """, [.integer(sequence)])
        return ChangedResources(
            sequence: head.sequence, resources: Set(try rows.map { row in try Origin.ResourceID(row, 0) }))
    }

    /// Returns the whole log.
    static func changes(_ transaction: inout PostgresTransaction) throws -> [Origin.Change] {
        try transaction.query(
            """
            SELECT c.first + x.n, x.kind, x.resource_group, x.resource_id, x.record_type, x.record_key, x.body, x.reason,
                x.changed_at
            FROM larder.head h, larder.commits c JOIN larder.changes x USING (commit)
            WHERE c.first + x.n > h.removed_through ORDER BY 1
            """
        ).map { row in try Origin.Change(row) }
    }

    static func snapshot(
        of resource: Origin.ResourceID, at head: SyncHead, isVersion: Bool, _ transaction: inout PostgresTransaction
    ) throws -> OriginSnapshot {
        let found = try transaction.query(
            """
            SELECT h.schema_version, coalesce(g.carries_content_id, false)
            FROM larder.head h JOIN larder.resources r ON r.resource_group = $1 AND r.resource_id = $2 AND r.is_public
            LEFT JOIN larder.groups g ON g.name = r.resource_group
            """, resource.parameters
        ).first
        guard let found else {
            let isKnown = try transaction.query(
                """
                SELECT EXISTS (SELECT FROM larder.groups WHERE name = $1)
                    OR EXISTS (SELECT FROM larder.group_names WHERE name = $1)
                """, [.text(resource.group)]
            ).first?.bool(0)
            throw isKnown == true ? OriginProblem.snapshotNotFound : OriginProblem.unknownResourceGroup
        }
        let rows = try bodies(of: resource, &transaction)
        return OriginSnapshot(
            of: resource, at: head.sequence, count: rows.count, schemaVersion: try found.integer(0) ?? 1,
            contentID: try found.bool(1) == true ? resource.id : nil, places: rows.count,
            isVersion: isVersion, row: { rows[$0] })
    }

    /// Returns the bodies of all rows, in the order in which they came.
    private static func bodies(
        of resource: Origin.ResourceID, _ transaction: inout PostgresTransaction
    ) throws -> [[UInt8]] {
        var bodies: [[UInt8]] = []
        var position: Int64 = 0
        while true {
            // A few at a time: libpq holds the whole result of a statement.
            let rows = try transaction.query(
                """
                SELECT position, body FROM larder.rows
                WHERE resource_group = $1 AND resource_id = $2 AND position > $3 ORDER BY position LIMIT 2000
                """, resource.parameters + [.integer(position)])
            for row in rows { bodies.append(try row.json(1)) }
            guard rows.count == 2000, let last = try rows.last?.integer(0) else { return bodies }
            position = last
        }
    }

    static func list(
        of resource: Origin.ResourceID, _ query: ListQuery, _ transaction: inout PostgresTransaction
    ) throws -> [UInt8] {
        let parameters = resource.parameters + [query.type.map(PostgresValue.text) ?? .null]
        let total = try transaction.query(
            """
            SELECT (
                SELECT count(*) FROM larder.rows w WHERE w.resource_group = r.resource_group
                    AND w.resource_id = r.resource_id AND ($3::text IS NULL OR w.record_type = $3))
            FROM larder.resources r WHERE r.resource_group = $1 AND r.resource_id = $2 AND r.is_public
            """, parameters
        ).first?.integer(0)
        guard let total else { throw OriginProblem.notFound }
        let found = try page(of: query, parameters, &transaction)
        return Origin.listBody(
            try found.prefix(query.size).map { try $0.json(0) }, total: Int(total), hasMore: found.count > query.size)
    }

    /// Returns the rows of a list's page, and one more where others follow.
    private static func page(
        of query: ListQuery, _ parameters: [PostgresValue], _ transaction: inout PostgresTransaction
    ) throws -> [PostgresRow] {
        let limit = PostgresValue.integer(Int64(query.size) + 1)
        switch query.start {
        case .page(let index):
            let (skipped, overflow) = index.multipliedReportingOverflow(by: query.size)
            if overflow { return [] }
            return try transaction.query(
                """
                SELECT body FROM larder.rows
                WHERE resource_group = $1 AND resource_id = $2 AND ($3::text IS NULL OR record_type = $3)
                ORDER BY number NULLS LAST, record_key, record_type OFFSET $4::bigint LIMIT $5::bigint
                """, parameters + [.integer(Int64(skipped)), limit])
        case .after(let key):
            // Only the usual spelling is a number: 01 and +1 are texts.
            let number = Int64(key).flatMap { String($0) == key ? $0 : nil }
            return try transaction.query(
                """
                SELECT body FROM (
                    (SELECT body, number, record_key, record_type FROM larder.rows
                        WHERE resource_group = $1 AND resource_id = $2 AND ($3::text IS NULL OR record_type = $3)
                            AND number > $4::bigint
                        ORDER BY number, record_key, record_type LIMIT $6::bigint)
                    UNION ALL
                    (SELECT body, number, record_key, record_type FROM larder.rows
                        WHERE resource_group = $1 AND resource_id = $2 AND ($3::text IS NULL OR record_type = $3)
                            AND number IS NULL
                            AND record_key > CASE WHEN $4::bigint IS NULL THEN $5::text ELSE '' END
                        ORDER BY record_key, record_type LIMIT $6::bigint)) t
                ORDER BY number NULLS LAST, record_key, record_type LIMIT $6::bigint
                """, parameters + [number.map(PostgresValue.integer) ?? .null, .text(key), limit])
        }
    }
}

extension Origin.Change {
    /// Reads a change out of the columns number, kind, group, id, type, key, body, reason, time.
    fileprivate init(_ row: PostgresRow) throws(PostgresError) {
        let kind: Kind
        switch try row.integer(1) {
        case 1: kind = .rowCreate(try Origin.RowKey(row, 4), body: try row.json(6))
        case 2: kind = .rowUpdate(try Origin.RowKey(row, 4), body: try row.json(6))
        case 3: kind = .rowDelete(try Origin.RowKey(row, 4))
        case 4: kind = .resourceCreate
        case 5: kind = .resourceInvalidate
        case 6: kind = .resourceDelete(reason: row.text(7))
        case 7: kind = .resourceUpdate
        default: throw .unexpectedValue(column: 1)
        }
        guard let sequence = try row.integer(0), let time = try row.integer(8) else {
            throw .unexpectedValue(column: 0)
        }
        self.init(sequence: sequence, resource: try Origin.ResourceID(row, 2), kind: kind, changedAt: time)
    }
}
#endif
