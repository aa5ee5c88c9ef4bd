/// A key of the table `outbox`, which holds entries and, after them, their index.
package enum OutboxKey: Hashable, Sendable {
    /// An ``OutboxRecord`` stands here.
    case entry(lane: String, sequence: Int64)
    /// An ``OutboxDeliveryRecord`` stands here.
    case index(entryID: UUIDBytes)

    /// Reads a key.
    package init(decoding key: RawSpan) throws(FormatError) {
        var reader = TupleReader(key)
        if key.byte(at: 0) == TupleCode.uuid {
            self = .index(entryID: try reader.uuid())
        } else {
            let lane = try reader.text()
            self = .entry(lane: lane, sequence: try reader.count("sequence"))
        }
        try reader.end()
    }
}
