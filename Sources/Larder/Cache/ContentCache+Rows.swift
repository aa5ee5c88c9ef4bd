public import LarderFormat
internal import LarderQuery
internal import LarderStore

extension ContentCache {
    /// Returns the row of an id, or nil when none is shown there.
    ///
    /// - Parameters:
    ///   - type: The type of the row.
    ///   - id: The id of the row.
    ///   - resource: The resource; nil where the schema names the only one.
    /// - Throws: ``RowError/undecodable(_:reason:)``; as `ReadView.row(at:)`.
    /// - Precondition: The resource is in the scope of the schema, and given where that is a group.
    public func row<Row: CachedRow>(_ type: Row.Type, _ id: Row.ID, in resource: ResourceKey? = nil) throws -> Row? {
        let key = Row.key(id, in: resource)
        guard let payload = try store.read({ view in try view.payload(at: key) }) else { return nil }
        return try RowDecoder<Row>().row(EncodedRow(key: key, payload: payload))
    }

    /// Returns the rows of a resource in the order of their keys.
    ///
    /// - Parameters:
    ///   - type: The type of the rows.
    ///   - resource: The resource; nil where the schema names the only one.
    ///   - keys: The keys of the rows.
    ///   - reversed: Whether the last row comes first; with `limit`, the last rows are returned.
    ///   - limit: The most rows.
    /// - Throws: ``RowError/undecodable(_:reason:)``; as `ReadView.forEachRow(in:reversed:limit:verified:_:)`.
    /// - Precondition: As for ``row(_:_:in:)``.
    public func rows<Row: CachedRow>(
        _ type: Row.Type, in resource: ResourceKey? = nil, keys: KeyRange = .all, reversed: Bool = false,
        limit: Int = .max
    ) throws -> [Row] {
        try RowDecoder<Row>().rows(storedRows(type, in: resource, keys, reversed, limit))
    }

    func storedRows<Row: CachedRow>(
        _ type: Row.Type, in resource: ResourceKey?, _ keys: KeyRange, _ reversed: Bool, _ limit: Int
    ) throws -> [EncodedRow] {
        let range = keys.rows(of: Row.schema.type, in: Row.schema.resource(resource))
        let rows = try store.read { view in try view.rows(in: range, reversed: reversed, limit: limit) }
        return rows.map { EncodedRow(key: $0.key, payload: $0.payload) }
    }

    /// Returns the rows that fulfil a condition: of one resource, or of all resources of the schema.
    ///
    /// ```swift
    /// let cheap = try cache.rows(Product.self, where: "price < \(50)", order: "name", limit: 20)
    /// let near = try cache.rows(Product.self, in: "products/7", where: "price < \(50)")
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the rows.
    ///   - resource: The resource; nil for all that the schema names.
    ///   - condition: The text after `WHERE`; interpolated values are bound.
    ///   - order: The text after `ORDER BY`, such as `name DESC`: the program's own, since it is not bound.
    ///   - limit: The most rows, at least 0; nil: all.
    /// - Throws: ``RowError/undecodable(_:reason:)``; `QueryError` for a mistake in the condition, such as
    ///   `QueryError.unknownColumn(_:offset:)` for a name that ``RowSchema/columns`` lacks; as `Store.read(_:)`.
    /// - Precondition: The cache was opened with `Row` among its rows.
    public func rows<Row: CachedRow>(
        _ type: Row.Type, in resource: ResourceKey? = nil, where condition: SQLCondition, order: String? = nil,
        limit: Int? = nil
    ) throws -> [Row] {
        try RowDecoder<Row>().rows(found(type, in: resource, condition, order, limit))
    }

    func found<Row: CachedRow>(
        _ type: Row.Type, in resource: ResourceKey?, _ condition: SQLCondition, _ order: String?, _ limit: Int?
    ) throws -> [EncodedRow] {
        checkIsDeclared(type)
        let bounded = resource.map { condition.bounded(to: Row.schema.resource($0)) } ?? condition
        return try query.objects(
            of: Row.schema.type, where: bounded.sql, bounded.arguments, order: order, limit: limit
        ).map { EncodedRow(key: $0.key, payload: $0.payload) }
    }

    /// Returns the rows that have every word of a text, the best first; the last word may be the beginning of one.
    ///
    /// The first search after new content reads its rows once: run it early, in the background.
    ///
    /// - Parameters:
    ///   - type: The type of the rows.
    ///   - words: The words, as the user types them.
    ///   - resource: The resource; nil for all that the schema names.
    ///   - limit: The most hits, at least 0.
    /// - Throws: ``RowError/undecodable(_:reason:)``; `QueryError.searchUnavailable(message:)`; as `Store.read(_:)`.
    /// - Precondition: The cache was opened with `Row` among its rows, and its schema has columns to search.
    public func search<Row: CachedRow>(
        _ type: Row.Type, _ words: String, in resource: ResourceKey? = nil, limit: Int = 20
    ) throws -> [RowHit<Row>] {
        checkIsDeclared(type)
        var options = SearchOptions(limit: limit)
        options.resource = resource.map { Row.schema.resource($0) }
        let hits = try query.search(Row.schema.type, .words(words, completesLast: true), options)
        let decoder = RowDecoder<Row>()
        return try hits.compactMap { hit in
            let stored = EncodedRow(key: hit.object.key, payload: hit.object.payload)
            return try decoder.row(stored).map { row in
                RowHit(row: row, resource: stored.key.resource, snippet: hit.snippet ?? "", score: hit.score)
            }
        }
    }

    func checkIsDeclared<Row: CachedRow>(_ type: Row.Type) {
        precondition(
            query.tables.contains { $0.name == Row.schema.type }, "\(Row.self) is not among the rows of the cache")
    }
}

/// A row that was found by its words.
///
/// ```swift
/// for hit in try cache.search(Verse.self, "river daw") {  // "daw" may be the beginning of a word
///     print(hit.row.verse_key, hit.snippet, hit.resource)  // 26:153 the [river] at [dawn] translations/10
/// }
/// ```
public struct RowHit<Row: CachedRow>: Sendable {
    /// The row.
    public let row: Row
    /// The resource that it is in.
    public let resource: ResourceKey
    /// The part of its text that fits best, with the found words in brackets.
    public let snippet: String
    /// The score: more is better. Scores of one search compare with each other only.
    public let score: Double
}
