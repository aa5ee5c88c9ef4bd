/// A key of the table `outbox`. Each entry has a head, a body and a delivery, each in a record of its own. The kinds
/// are separate, in the order of the cases, so that a scan of the heads, or a read of a delivery, touches no body.
package enum OutboxKey: Hashable, Sendable {
    /// The key of an ``OutboxDeduplicationRecord``.
    case deduplication(hash: UInt64)
    /// The key of an ``OutboxHeadRecord``.
    case head(lane: String, sequence: Int64)
    /// The key of an ``OutboxBodyRecord``.
    case body(sequence: Int64)
    /// The key of an ``OutboxDeliveryRecord``.
    case delivery(entryID: UUIDBytes)

    /// The prefix of all deduplication keys.
    package static let deduplications: [UInt8] = [TupleCode.null]
    /// The prefix of the keys of all heads.
    package static let heads: [UInt8] = [TupleCode.text]
    /// The prefix of the keys of all deliveries.
    package static let deliveries: [UInt8] = [TupleCode.uuid]

    /// Reads a key.
    ///
    /// - Throws: ``FormatError/invalidValue(field:value:)`` for a negative sequence,
    ///   ``FormatError/trailingBytes(offset:)``; else as ``TupleReader``.
    package init(decoding key: RawSpan) throws(FormatError) {
        var reader = TupleReader(key)
        switch key.byte(at: 0) {
        case TupleCode.uuid: self = .delivery(entryID: try reader.uuid())
        case TupleCode.null, TupleCode.text:
            if try reader.consumeNull() {
                self = .deduplication(hash: UInt64(bitPattern: try reader.integer()))
            } else {
                self = .head(lane: try reader.text(), sequence: try reader.count("sequence"))
            }
        default: self = .body(sequence: try reader.count("sequence"))
        }
        try reader.checkEnd()
    }

    /// Appends the key.
    ///
    /// - Throws: ``FormatError/keyTooLong(actual:limit:)`` for a lane beyond ``Limits/lane``.
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
