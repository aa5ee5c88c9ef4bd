public import LarderFormat

/// A coder that converts values to payloads and back, such as a JSON coder.
public protocol PayloadCoder: Sendable {
    /// The codec that its payloads are marked with.
    var codec: PayloadCodec { get }
    /// The payload of `value`.
    ///
    /// - Throws: any error, for a value that cannot be encoded.
    func encode<Value: Encodable>(_ value: Value) throws -> [UInt8]
    /// The value of a payload, which is valid during the call only.
    ///
    /// - Throws: any error, for a payload that cannot be decoded.
    func decode<Value: Decodable>(_ type: Value.Type, from payload: RawSpan) throws -> Value
}

extension Transaction {
    /// Puts a row whose payload is the encoded `value`, in place of the existing one.
    ///
    /// - Parameters:
    ///   - value: the value to encode.
    ///   - key: the row to put.
    ///   - updatedAt: milliseconds since 1970-01-01 UTC.
    ///   - coder: the coder that encodes the value, and whose codec the payload is marked with.
    /// - Throws: what the coder throws; ``StoreError/invalid(_:)`` for a key or payload beyond the format's limits;
    ///   `EngineError`.
    public mutating func put<Value: Encodable>(
        _ value: Value, at key: RowKey, updatedAt: Int64, using coder: some PayloadCoder
    ) throws {
        try put(try coder.encode(value), at: key, updatedAt: updatedAt, codec: coder.codec)
    }
}

extension Row {
    /// The payload as a value.
    ///
    /// - Throws: ``StoreError/unexpectedCodec(stored:expected:)`` for a payload of another codec; what the coder
    ///   throws.
    public func value<Value: Decodable>(_ type: Value.Type, using coder: some PayloadCoder) throws -> Value {
        guard codec == coder.codec else { throw StoreError.unexpectedCodec(stored: codec, expected: coder.codec) }
        return try coder.decode(type, from: payload)
    }
}
