private import Foundation
internal import LarderFormat
internal import LarderQuery
internal import Logging

/// A row as it is stored.
struct EncodedRow: Hashable, Sendable {
    let key: RowKey
    let payload: [UInt8]
}

/// Decodes the rows of one type, as their schema says.
struct RowDecoder<Row: CachedRow> {
    private let decoder: JSONDecoder

    init() {
        decoder = JSONDecoder()
        decoder.dateDecodingStrategy = Row.schema.dates.decoding
    }

    func rows(_ stored: [EncodedRow]) throws -> [Row] { try stored.compactMap { try row($0) } }

    func row(_ stored: EncodedRow) throws -> Row? {
        do {
            return try decoder.decode(Row.self, from: Data(stored.payload))
        } catch {
            switch Row.schema.undecodable {
            case .isLeftOut: return nil
            case .fails: throw RowError.undecodable(stored.key, reason: RowError.reason(error))
            case .migrates(let migrate):
                guard let payload = try migrate(stored.payload) else { return nil }
                do {
                    return try decoder.decode(Row.self, from: Data(payload))
                } catch {
                    throw RowError.undecodable(stored.key, reason: RowError.reason(error))
                }
            }
        }
    }
}

extension RowError {
    /// The reason of a decoding error: the place in the JSON, without content.
    static func reason(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "\(type(of: error))." }
        let (problem, context): (String, DecodingError.Context)
        switch error {
        case .keyNotFound(let key, let found): (problem, context) = ("the member \(key.stringValue) is missing", found)
        case .valueNotFound(_, let found): (problem, context) = ("a value is null", found)
        case .typeMismatch(let type, let found): (problem, context) = ("a value is no \(type)", found)
        case .dataCorrupted(let found): (problem, context) = ("a value is malformed", found)
        @unknown default: return "it is malformed."
        }
        let path = context.codingPath.map(\.stringValue).joined(separator: ".")
        return path.isEmpty ? problem + "." : "\(problem) (at \(path))."
    }
}

extension CachedRow {
    /// Returns the payload of the row, with sorted keys, so that equal rows have equal bytes.
    func payload() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = Self.schema.dates.encoding
        return Array(try encoder.encode(self))
    }

    /// The table of the rows for SQL. Columns whose type is not known are logged.
    static func table(_ logger: Logger) throws(QueryError) -> TableDefinition {
        let columns = schema.unnamed
        if columns.isEmpty { return try schema.table() }
        let members = RowMembers(of: Self.self)
        for warning in columns.compactMap({ members.warning($0, of: "\(Self.self)") }) { logger.warning("\(warning)") }
        return try schema.table(members.affinities)
    }

    /// The key of the row with an id.
    static func key(_ id: ID, in resource: ResourceKey?) -> RowKey {
        RowKey(resource: schema.resource(resource), type: schema.type, key: id.description)
    }
}
