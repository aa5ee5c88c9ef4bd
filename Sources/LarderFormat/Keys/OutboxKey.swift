/// A key of the table `outbox`. Each entry has a head, a body and a delivery, each in a record of its own; the kinds lie apart, in the
/// order of the cases, so that a walk over the heads, or a look at a delivery, meets no body.
package enum OutboxKey: Hashable, Sendable {
    /// An ``OutboxDeduplicationRecord`` stands here.
    case deduplication(hash: UInt64)
    /// An ``OutboxHeadRecord`` stands here.
    case head(lane: String, sequence: Int64)
    /// An ``OutboxBodyRecord`` stands here.
    case body(sequence: Int64)
    /// An ``OutboxDeliveryRecord`` stands here.
    case delivery(entryID: UUIDBytes)

    /// The bytes that the keys of all deduplication keys begin with.
    package static let deduplications: [UInt8] = [TupleCode.null]
    /// The bytes that the keys of all heads begin with.
    package static let heads: [UInt8] = [TupleCode.text]
    /// The bytes that the keys of all deliveries begin with.
    package static let deliveries: [UInt8] = [TupleCode.uuid]

    /// Reads a key.
    package init(decoding key: RawSpan) throws(FormatError) {
        var reader = TupleReader(key)
        switch key.byte(at: 0) {
        case TupleCode.uuid: self = .delivery(entryID: try reader.uuid())
        case TupleCode.null, TupleCode.text:
            if try reader.takeNull() {
                self = .deduplication(hash: UInt64(bitPattern: try reader.integer()))
            } else {
                self = .head(lane: try reader.text(), sequence: try reader.count("sequence"))
            }
        default: self = .body(sequence: try reader.count("sequence"))
        }
        try reader.end()
    }

    /// Appends the key; a lane must fit ``Limits/lane``.
    package func append(to buffer: inout KeyBuffer) throws(FormatError) {
        switch self {
        case .head(let lane, let sequence):
            try Limits.check(lane: lane)
            try buffer.append(text: lane)
            try buffer.append(integer: sequence)
        case .deduplication(let hash):
            try buffer.appendNull()
            try buffer.append(integer: Int64(bitPattern: hash))
        case .body(let sequence): try buffer.append(integer: sequence)
        case .delivery(let id): try buffer.append(uuid: id)
        }
    }
}
