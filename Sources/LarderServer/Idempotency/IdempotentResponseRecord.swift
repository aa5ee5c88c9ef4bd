internal import HTTPTypes
package import LarderFormat

/// The record of an executed request: its fingerprint and its response.
///
/// docs/internals/idempotency.md, "larder.keys".
package struct IdempotentResponseRecord: Hashable, Sendable {
    /// The fingerprint of the request that used the key.
    package var fingerprint: RequestFingerprint
    /// The time of execution, in milliseconds since 1970-01-01 UTC.
    package var executedAt: Int64
    /// The time from which the record no longer counts, in the same unit.
    package var expiresAt: Int64
    /// The response for repetitions.
    package var response: IdempotentResponse

    package init(fingerprint: RequestFingerprint, executedAt: Int64, expiresAt: Int64, response: IdempotentResponse) {
        self.fingerprint = fingerprint
        self.executedAt = executedAt
        self.expiresAt = expiresAt
        self.response = response
    }

    /// Decodes a body.
    ///
    /// - Throws: `FormatError` when it is damaged.
    package init(decoding body: RawSpan) throws(FormatError) {
        var reader = TupleReader(body)
        let first = UInt64(bitPattern: try reader.integer())
        let second = UInt64(bitPattern: try reader.integer())
        fingerprint = RequestFingerprint(first, second)
        executedAt = try reader.integer()
        expiresAt = try reader.integer()
        let status = try reader.integer()
        guard status >= 200, status <= 599 else { throw .invalidValue(field: "status", value: status) }
        let count = try reader.integer()
        guard count >= 0 else { throw .invalidValue(field: "field_count", value: count) }
        var fields = HTTPFields()
        for _ in 0..<count {
            let name = try reader.text()
            let value = try reader.text()
            guard let name = HTTPField.Name(name), HTTPField.isValidValue(value) else {
                throw .invalidValue(field: "field_count", value: count)
            }
            fields.append(HTTPField(name: name, value: value))
        }
        response = IdempotentResponse(HTTPResponse.Status(code: Int(status)), fields: fields, body: try reader.bytes())
        try reader.checkEnd()
    }

    /// Returns the encoded body.
    package func encode() -> [UInt8] {
        var writer = TupleWriter()
        writer.append(integer: Int64(bitPattern: fingerprint.first))
        writer.append(integer: Int64(bitPattern: fingerprint.second))
        writer.append(integer: executedAt)
        writer.append(integer: expiresAt)
        writer.append(integer: Int64(response.status.code))
        writer.append(integer: Int64(response.fields.count))
        for field in response.fields {
            writer.append(text: field.name.canonicalName)
            writer.append(text: field.value)
        }
        writer.append(bytes: response.body)
        return writer.bytes
    }

    /// Returns whether the record still counts.
    package func isRetained(at now: Int64) -> Bool { now < expiresAt }
}
