public import LarderFormat
public import LarderStore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Encodes and decodes payloads as JSON with `Codable`.
///
/// ```swift
/// let payload = try JSONPayloadCoder().encode(note)  // {"id":"9","text":"buy bread"}
/// let write = OutboxWrite(
///     "note.put", .put, "/notes/9", body: .bytes(payload), effects: [RowEffect(.replacement(payload), at: key)])
/// try await outbox.enqueue(write)
/// ```
public struct JSONPayloadCoder: PayloadCoder {
    /// Creates a coder with the defaults of `JSONEncoder` and `JSONDecoder`.
    public init() {}

    /// The codec of the payloads: JSON.
    public var codec: PayloadCodec { .json }

    /// Returns the value as JSON, with sorted keys, so that equal values have equal bytes.
    ///
    /// - Throws: The errors of `JSONEncoder`.
    public func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }

    /// Returns the value that the JSON describes.
    ///
    /// - Throws: The errors of `JSONDecoder`.
    public func decode<Value: Decodable>(_ type: Value.Type, from payload: RawSpan) throws -> Value {
        try JSONDecoder().decode(type, from: Data([UInt8](copying: payload)))
    }
}

extension ReadView {
    /// Returns the JSON payload at `key` as a value, or nil when there is no row.
    ///
    /// - Throws: As `ReadView.row(at:)`; decoding errors.
    public borrowing func value<Value: Decodable>(_ type: Value.Type, at key: RowKey) throws -> Value? {
        try value(type, at: key, using: JSONPayloadCoder())
    }
}

extension Transaction {
    /// Stores a value as JSON in the visible rows of its resource.
    ///
    /// An array of bytes is not a value but a payload already, and is stored unchanged.
    ///
    /// - Parameters:
    ///   - value: The value to store.
    ///   - key: The row to put.
    ///   - updatedAt: Milliseconds since 1970-01-01 UTC.
    /// - Throws: As `Transaction.put(_:at:updatedAt:codec:)`; encoding errors.
    public mutating func put<Value: Encodable>(_ value: Value, at key: RowKey, updatedAt: Int64) throws {
        // Overload resolution selects this function for bytes straight from an initialiser; as a value they would be a
        // list of numbers.
        if let bytes = value as? [UInt8] { return try put(bytes, at: key, updatedAt: updatedAt, codec: .json) }
        try put(value, at: key, updatedAt: updatedAt, using: JSONPayloadCoder())
    }

    /// Stores a value as JSON in the visible rows of its resource; see ``put(_:at:updatedAt:)``.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key of the row.
    ///   - updatedAt: The date of the row; whole milliseconds are stored.
    /// - Throws: As `put(_:at:updatedAt:codec:)`; encoding errors.
    /// - Precondition: The date is less than 292 million years from 1970.
    public mutating func put<Value: Encodable>(_ value: Value, at key: RowKey, updatedAt: Date) throws {
        try put(value, at: key, updatedAt: Int64((updatedAt.timeIntervalSince1970 * 1000).rounded()))
    }
}
