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
    /// Puts bytes as they are, a payload of JSON; an array of them is encodable, too, and would else become a list of
    /// numbers.
    ///
    /// - Parameter updatedAt: milliseconds since 1970-01-01 UTC.
    /// - Throws: as ``put(_:at:updatedAt:codec:)``.
    public mutating func put(_ payload: [UInt8], at key: RowKey, updatedAt: Int64) throws {
        try put(payload, at: key, updatedAt: updatedAt, codec: .json)
    }

    /// Puts a value as JSON into the visible rows of its resource.
    ///
    /// Bytes are not a value but a payload already: an array of them goes to ``put(_:at:updatedAt:codec:)-([UInt8],_,_,_)``.
    ///
    /// - Parameter updatedAt: milliseconds since 1970-01-01 UTC.
    /// - Throws: as ``put(_:at:updatedAt:codec:)``; what encoding throws.
    public mutating func put<Value: Encodable>(_ value: Value, at key: RowKey, updatedAt: Int64) throws {
        try put(value, at: key, updatedAt: updatedAt, using: JSONPayloadCoder())
    }
}
