/// A record of `outbox`: a write to be sent.
///
/// FORMAT.md, "outbox". Key: (lane, sequence). The sequence counts over all lanes. How its delivery goes is an
/// ``OutboxDeliveryRecord``.
package struct OutboxRecord: Hashable, Sendable {
    /// A header field of the request.
    package struct Field: Hashable, Sendable {
        /// The name.
        package var name: String
        /// The value, byte for byte.
        package var value: [UInt8]

        /// A field of these parts.
        package init(name: String, value: [UInt8]) {
            self.name = name
            self.value = value
        }
    }

    /// A body that is a blob.
    package struct BlobBody: Hashable, Sendable {
        /// The number of the blob.
        package var number: Int64
        /// Its length in bytes.
        package var byteCount: Int64

        /// A body of these parts.
        package init(number: Int64, byteCount: Int64) {
            self.number = number
            self.byteCount = byteCount
        }
    }

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
    /// The body to be sent; empty where it is a blob.
    package var payload: [UInt8]
    /// The account it was made under.
    package var account: String?
    /// What it is about.
    package var entity: String?
    /// The header fields that go with it; no credentials.
    package var fields: [Field]
    /// The body, where it is a blob.
    package var blob: BlobBody?
    /// The entries that have to be accepted before it is sent.
    package var after: [UUIDBytes]
    /// The rows that its effect is laid over.
    package var rows: [RowKey]
    /// What a second enqueue of the same write is recognised by.
    package var deduplicationKey: String?
    /// A checksum of method, endpoint and body, as the integer with the same bits.
    package var fingerprint: Int64
    /// How many answers may ask for another try.
    package var mostAttempts: Int64
    /// The entry in whose place it came.
    package var predecessor: UUIDBytes?
    /// Whether the answer becomes the row.
    package var loadsAnswer: Bool

    /// Makes an entry without anything but what is to be sent.
    package init(
        entryID: UUIDBytes, createdAt: Int64, mutationType: String, method: String, endpoint: String,
        payload: [UInt8]
    ) {
        self.entryID = entryID
        self.createdAt = createdAt
        self.mutationType = mutationType
        self.method = method
        self.endpoint = endpoint
        self.payload = payload
        fields = []
        after = []
        rows = []
        fingerprint = 0
        mostAttempts = 5
        loadsAnswer = false
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

// MARK: - Coding

extension OutboxRecord {
    /// Reads a body.
    package init(decoding body: RawSpan) throws(FormatError) {
        var reader = TupleReader(body)
        entryID = try reader.uuid()
        createdAt = try reader.integer()
        mutationType = try reader.text()
        method = try reader.text()
        endpoint = try reader.text()
        payload = try reader.bytes()
        account = try reader.optionalText()
        entity = try reader.optionalText()
        fields = try Self.list(try reader.bytes()) { (list) throws(FormatError) in
            Field(name: try list.text(), value: try list.bytes())
        }
        let number = try reader.optionalCount("blob")
        let byteCount = try reader.count("blobBytes")
        blob = number.map { BlobBody(number: $0, byteCount: byteCount) }
        after = try Self.list(try reader.bytes()) { (list) throws(FormatError) in try list.uuid() }
        rows = try Self.list(try reader.bytes()) { (list) throws(FormatError) in
            RowKey(
                resource: ResourceKey(try list.text(), try list.integer()), type: try list.text(),
                key: try list.recordKey())
        }
        deduplicationKey = try reader.optionalText()
        fingerprint = try reader.integer()
        mostAttempts = try reader.count("mostAttempts")
        predecessor = try reader.optionalUUID()
        loadsAnswer = try reader.bool()
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
        writer.append(optionalText: account)
        writer.append(optionalText: entity)
        writer.append(
            bytes: Self.list(fields) { list, field in
                list.append(text: field.name)
                list.append(bytes: field.value)
            })
        writer.append(optionalInteger: blob?.number)
        writer.append(integer: blob?.byteCount ?? 0)
        writer.append(bytes: Self.list(after) { list, id in list.append(uuid: id) })
        writer.append(
            bytes: Self.list(rows) { list, row in
                list.append(resource: row.resource)
                list.append(text: row.type)
                list.append(recordKey: row.key)
            })
        writer.append(optionalText: deduplicationKey)
        writer.append(integer: fingerprint)
        writer.append(integer: mostAttempts)
        writer.append(optionalUUID: predecessor)
        writer.append(bool: loadsAnswer)
        return writer.bytes
    }

    private static func list<Member>(
        _ bytes: [UInt8], _ member: (inout TupleReader) throws(FormatError) -> Member
    ) throws(FormatError) -> [Member] {
        var reader = TupleReader(bytes.rawSpan)
        var members: [Member] = []
        while !reader.isAtEnd { members.append(try member(&reader)) }
        return members
    }

    private static func list<Member>(
        _ members: [Member], _ append: (inout TupleWriter, Member) -> Void
    ) -> [UInt8] {
        var writer = TupleWriter()
        for member in members { append(&writer, member) }
        return writer.bytes
    }
}
