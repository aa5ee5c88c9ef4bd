private import Foundation
internal import LarderQuery

/// The members that the decoding of a row type reads, found by decoding a row of placeholders: 0, false, empty texts and
/// lists, and no optional value.
///
/// Only the type knows them, and only while it decodes: nothing else names the coding keys of a type.
struct RowMembers {
    /// The members, with the conversion of values that are compared with each.
    let affinities: [String: ColumnDefinition.Affinity]
    /// The member whose placeholder ended the decoding, so that the members after it are not known; nil: all are known.
    let lastKnown: String?

    init<Row: CachedRow>(of type: Row.Type) {
        let decoder = PlaceholderDecoder(dates: Row.schema.dates)
        do {
            _ = try Row(from: decoder)
            lastKnown = nil
        } catch {
            lastKnown = decoder.last
        }
        affinities = decoder.members
    }
}

/// Decodes placeholders, and records what was asked for.
private final class PlaceholderDecoder: Decoder {
    /// No placeholder is known for a value.
    struct NoPlaceholder: Error {}

    /// A type may contain itself.
    private static let deepest = 4

    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]
    private(set) var members: [String: ColumnDefinition.Affinity] = [:]
    private(set) var last = ""
    private var single = ColumnDefinition.Affinity.none
    private let dates: RowSchema.DateForm
    private let depth: Int

    init(dates: RowSchema.DateForm, depth: Int = 0) {
        self.dates = dates
        self.depth = depth
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Keyed<Key>(decoder: self))
    }
    func unkeyedContainer() -> any UnkeyedDecodingContainer { Unkeyed() }
    func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoder: self) }
    func nested() -> PlaceholderDecoder { PlaceholderDecoder(dates: dates, depth: depth + 1) }

    func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let found = placeholder(type)
        single = found.affinity
        guard let value = found.value as? Value else { throw NoPlaceholder() }
        return value
    }

    func value<Value: Decodable>(_ type: Value.Type, of member: String) throws -> Value {
        let found = placeholder(type)
        members[member] = found.affinity
        last = member
        guard let value = found.value as? Value else { throw NoPlaceholder() }
        return value
    }

    private func placeholder<Value: Decodable>(
        _ type: Value.Type
    ) -> (value: Any?, affinity: ColumnDefinition.Affinity) {
        func zero<Number: Numeric>(_: Number.Type) -> Any { Number.zero }
        func first<Cases: CaseIterable>(_: Cases.Type) -> Any? { Cases.allCases.first }
        switch type {
        case is String.Type: return ("", .text)
        case is Bool.Type: return (false, .numeric)
        case let type as any Numeric.Type: return (zero(type), .numeric)
        case is Date.Type: return (Date(timeIntervalSince1970: 0), dates == .iso8601 ? .text : .numeric)
        case is URL.Type: return (URL(filePath: "/"), .text)
        case is UUID.Type: return (UUID(), .text)
        case is Data.Type: return (Data(), .text)
        default: break
        }
        guard depth < Self.deepest else { return (nil, .none) }
        let decoder = nested()
        let value: Any? = (try? Value(from: decoder)) ?? (type as? any CaseIterable.Type).flatMap { first($0) }
        return (value, decoder.single)
    }

    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: PlaceholderDecoder
        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { [] }

        func contains(_ key: Key) -> Bool { true }
        func decodeNil(forKey key: Key) -> Bool { false }
        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try decoder.value(type, of: key.stringValue)
        }
        func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) -> Value? {
            _ = try? decoder.value(type, of: key.stringValue)
            return nil
        }
        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedDecodingContainer<Nested> { decoder.nested().container(keyedBy: type) }
        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer { Unkeyed() }
        func superDecoder() -> any Decoder { decoder.nested() }
        func superDecoder(forKey key: Key) -> any Decoder { decoder.nested() }
    }

    private struct Single: SingleValueDecodingContainer {
        let decoder: PlaceholderDecoder
        var codingPath: [any CodingKey] { [] }

        func decodeNil() -> Bool { false }
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.value(type) }
    }

    /// An empty list.
    private struct Unkeyed: UnkeyedDecodingContainer {
        let codingPath: [any CodingKey] = []
        let count: Int? = 0
        let isAtEnd = true
        let currentIndex = 0

        func decodeNil() throws -> Bool { throw NoPlaceholder() }
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { throw NoPlaceholder() }
        func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
            throw NoPlaceholder()
        }
        func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NoPlaceholder() }
        func superDecoder() throws -> any Decoder { throw NoPlaceholder() }
    }
}

extension RowMembers {
    /// Why a column compares without conversion; nil where its property is known.
    func warning(_ column: String, of row: String) -> String? {
        if affinities[column] != nil { return nil }
        let problem =
            switch lastKnown {
            case _ where affinities.isEmpty: "\(row) does not decode from members."
            case nil: "\(row) reads no member \(column); it reads \(affinities.keys.sorted().joined(separator: ", "))."
            case let last?:
                "The members that \(row) reads after \(last) are not known; they are once the type of \(last) is CaseIterable."
            }
        return "A text never equals a number in the column \(column): \(problem) Correct its name, or name its type, "
            + "as in .number(\"\(column)\")."
    }
}
