/// A record of `outbox`: a mutation to be sent.
///
/// FORMAT.md, "outbox". Key: (lane, sequence). The sequence counts over all lanes.
package struct OutboxRecord: Hashable, Sendable {
    /// The identity of the entry, which is also its idempotency key.
    package var entryID: UUIDBytes
    /// When it was enqueued, in milliseconds since 1970-01-01 UTC.
    package var createdAt: Int64
    /// The host's name of the kind of mutation.
    package var mutationType: String
    /// The HTTP method.
    package var method: String
    /// The endpoint, relative to the server.
    package var endpoint: String
    /// The body to be sent.
    package var payload: [UInt8]
    /// How many times sending was begun.
    package var attempts: Int64

    /// Makes an entry.
    package init(
        entryID: UUIDBytes, createdAt: Int64, mutationType: String, method: String, endpoint: String,
        payload: [UInt8], attempts: Int64 = 0
    ) {
        self.entryID = entryID
        self.createdAt = createdAt
        self.mutationType = mutationType
        self.method = method
        self.endpoint = endpoint
        self.payload = payload
        self.attempts = attempts
    }

    /// Reads a body.
    package init(decoding body: RawSpan) throws(FormatError) {
        var reader = TupleReader(body)
        entryID = try reader.uuid()
        createdAt = try reader.integer()
        mutationType = try reader.text()
        method = try reader.text()
        endpoint = try reader.text()
        payload = try reader.bytes()
        attempts = try reader.count("attempts")
    }

    /// The body.
    package func encode() -> [UInt8] {
        var writer = TupleWriter()
        writer.append(uuid: entryID)
        writer.append(integer: createdAt)
        writer.append(text: mutationType)
        writer.append(text: method)
        writer.append(text: endpoint)
        writer.append(bytes: payload)
        writer.append(integer: attempts)
        return writer.bytes
    }

    /// Appends the key of an entry; the lane must fit ``Limits/lane``.
    package static func appendKey(
        lane: String, sequence: Int64, to buffer: inout KeyBuffer
    ) throws(FormatError) {
        try Limits.check(lane: lane)
        try buffer.append(text: lane)
        try buffer.append(integer: sequence)
    }

    /// The bytes that the key of every entry of a lane begins with.
    package static func prefix(lane: String) -> [UInt8] {
        var writer = TupleWriter()
        writer.append(text: lane)
        return writer.bytes
    }
}
