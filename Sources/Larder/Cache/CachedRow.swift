public import LarderFormat
internal import LarderQuery

/// A row of a server's content, as a value.
///
/// The key of the row is the text of `Identifiable.id`: `1005` for the number 1005.
///
/// ```swift
/// struct Verse: CachedRow {
///     static let schema = RowSchema("translation", in: .group("translations"), index: "verse_key", search: "text")
///     let id: Int, verse_key: String, text: String
/// }
/// let verse = try cache.row(Verse.self, 1005, in: "translations/10")
/// print(verse?.text ?? "not here")
/// ```
public protocol CachedRow: Codable, Sendable, Identifiable where ID: CustomStringConvertible & Sendable {
    /// The place of the rows in the store, and how they are queried.
    static var schema: RowSchema { get }
}

/// A row that this device may write.
///
/// ```swift
/// struct Note: LocalRow {
///     static let schema = RowSchema("note", in: .resource("notes/1"))
///     var id: String, text: String
/// }
/// let sent = try await cache.put(Note(id: "9", text: "buy bread"), to: "/notes/9")
/// print(try await sent.outcome)  // waits for the server
/// ```
public protocol LocalRow: CachedRow {}

/// The description of the rows of one type.
///
/// ```swift
/// static let schema = RowSchema(
///     "product", in: .group("products"), columns: "kind", index: "price", "name", search: "name", "description")
/// ```
public struct RowSchema: Sendable {
    /// The resources that hold the rows.
    public enum Scope: Hashable, Sendable {
        /// One resource, such as `"notes/1"`.
        case resource(ResourceKey)
        /// Every resource of a group.
        case group(String)
    }

    /// The treatment of a payload that does not decode, such as one of an older version of the app or of the server.
    public enum Undecodable: Sendable {
        /// Reading it throws ``RowError/undecodable(_:reason:)``.
        case fails
        /// The row is left out.
        case isLeftOut
        /// The JSON that the closure returns is decoded in its place; nil leaves the row out.
        case migrates(@Sendable (_ payload: [UInt8]) throws -> [UInt8]?)
    }

    /// The type of the rows, as the server names it; also the name of the table in SQL.
    public let type: String
    /// The resources that hold the rows.
    public let scope: Scope
    /// The members of the JSON payload that SQL knows as columns: the declared, the indexed and the searched ones.
    public let columns: [String]
    /// The columns with an index.
    public let indexes: [String]
    /// The columns whose words can be searched for.
    public let searched: [String]
    /// The form of `Date` properties in payloads.
    public let dates: DateForm
    /// The treatment of a payload that does not decode.
    public let undecodable: Undecodable
    /// The columns whose type is named.
    private let named: [String: ColumnDefinition.Affinity]

    /// Describes rows.
    ///
    /// - Parameters:
    ///   - type: The type of the rows, as the server names it.
    ///   - scope: The resources that the rows belong to.
    ///   - columns: Members of the payload that conditions use, beside those below.
    ///   - index: The columns to index: conditions and orders by them read only the rows that they return.
    ///   - search: The columns whose words can be searched for.
    ///   - dates: The form of `Date` properties in payloads.
    ///   - undecodable: The treatment of a payload that does not decode.
    public init(
        _ type: String, in scope: Scope, columns: Column..., index: Column..., search: Column...,
        dates: DateForm = .iso8601, undecodable: Undecodable = .fails
    ) {
        self.type = type
        self.scope = scope
        var known: Set<String> = []
        let all = columns + index + search
        self.columns = all.map(\.name).filter { known.insert($0).inserted }
        indexes = index.map(\.name)
        searched = search.map(\.name)
        named = Dictionary(
            all.compactMap { column in column.affinity.map { (column.name, $0) } }, uniquingKeysWith: { $1 })
        self.dates = dates
        self.undecodable = undecodable
    }

    /// The resource in which a row is read or written: `resource`, or the only one of the scope.
    ///
    /// - Precondition: `resource` is in the scope, and is given where the scope is a group.
    func resource(_ resource: ResourceKey?) -> ResourceKey {
        switch (scope, resource) {
        case (.resource(let own), nil): return own
        case (.resource(let own), let resource?):
            precondition(resource == own, "rows of type \(type) are in \(own), not in \(resource)")
            return own
        case (.group(let group), let resource?):
            precondition(
                ResourceKey(group, resource.id) == resource, "rows of type \(type) are in \(group), not in \(resource)")
            return resource
        case (.group(let group), nil):
            preconditionFailure("rows of type \(type) are in many resources of \(group): name one")
        }
    }

    /// The columns whose type is that of a property.
    var unnamed: [String] { columns.filter { named[$0] == nil } }

    /// The table for SQL; `affinities` are those of the properties.
    func table(_ affinities: [String: ColumnDefinition.Affinity] = [:]) throws(QueryError) -> TableDefinition {
        let scope: TableDefinition.Scope =
            switch scope {
            case .resource(let key): .resource(key)
            case .group(let group): .group(group)
            }
        var definitions: [ColumnDefinition] = []
        for column in columns {
            let affinity = named[column] ?? affinities[column] ?? .none
            definitions.append(try ColumnDefinition(column, affinity: affinity))
        }
        return try TableDefinition(
            type, of: scope, type: type, columns: definitions, searched: searched.map { SearchField($0) })
    }
}

/// The error of a row that cannot be read or written as a value.
///
/// ```swift
/// do {
///     print(try cache.rows(Verse.self, in: "translations/10").count)
/// } catch RowError.undecodable(let key, let reason) {
///     print(key.key, reason)  // 1005 the member text is missing.
/// }
/// ```
public enum RowError: Error, Sendable {
    /// The payload of the row is not the JSON that the type expects.
    case undecodable(RowKey, reason: String)
    /// The value has no JSON form.
    case unencodable(RowKey, reason: String)
}

extension RowError: CustomStringConvertible {
    /// The row and the reason, without content.
    public var description: String {
        switch self {
        case .undecodable(let key, let reason):
            "The row \(key.key) of type \(key.type) in \(key.resource) does not decode: \(reason) The row is unchanged."
        case .unencodable(let key, let reason):
            "The row \(key.key) of type \(key.type) has no JSON form: \(reason) Nothing was stored."
        }
    }
}
