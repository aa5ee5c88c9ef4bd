public import Foundation
public import LarderFormat
public import LarderStore

extension UUID {
    /// Creates the UUID of these bytes, such as the identity of a ``PendingWrite``.
    public init(_ bytes: UUIDBytes) {
        guard let uuid = UUID(uuidString: bytes.description) else { preconditionFailure("\(bytes) is a UUID as text") }
        self = uuid
    }
}

extension UUIDBytes {
    /// Creates the bytes of a UUID of Foundation.
    public init(_ uuid: UUID) {
        guard let bytes = UUIDBytes(uuid.uuidString) else { preconditionFailure("\(uuid) is a UUID as text") }
        self = bytes
    }
}

extension StoredRow {
    /// Returns the JSON payload as a value.
    ///
    /// - Throws: The errors of `JSONDecoder`.
    public func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try JSONPayloadCoder().decode(type, from: payload.rawSpan)
    }
}
