private import Foundation
public import LarderFormat
public import LarderStore

/// Reads and writes payloads as JSON by `Codable`.
public struct JSONPayloadCoder: PayloadCoder {
    /// A coder with the defaults of `JSONEncoder` and `JSONDecoder`.
    public init() {}

    /// JSON.
    public var codec: PayloadCodec { .json }

    /// The value as JSON, with sorted keys, so that equal values have equal bytes.
    public func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }

    /// The value that JSON describes.
    public func decode<Value: Decodable>(_ type: Value.Type, from payload: RawSpan) throws -> Value {
        try JSONDecoder().decode(type, from: Data([UInt8](copying: payload)))
    }
}

extension ReadView {
    /// The JSON payload at `key` as a value, or nil when there is no row.
    ///
    /// - Throws: as ``row(at:)``; what decoding throws.
    public borrowing func value<Value: Decodable>(_ type: Value.Type, at key: RowKey) throws -> Value? {
        try value(type, at: key, using: JSONPayloadCoder())
    }
}

extension Transaction {
    /// Puts a value as JSON into the visible rows of its resource.
    ///
    /// An array of bytes is not a value but a payload already, and is stored as it is.
    ///
    /// - Parameter updatedAt: milliseconds since 1970-01-01 UTC.
    /// - Throws: as ``put(_:at:updatedAt:codec:)``; what encoding throws.
    public mutating func put<Value: Encodable>(_ value: Value, at key: RowKey, updatedAt: Int64) throws {
        // Overload resolution comes here with bytes straight out of an initialiser; as a value they would be a list of
        // numbers.
        if let bytes = value as? [UInt8] { return try put(bytes, at: key, updatedAt: updatedAt, codec: .json) }
        try put(value, at: key, updatedAt: updatedAt, using: JSONPayloadCoder())
    }
}
