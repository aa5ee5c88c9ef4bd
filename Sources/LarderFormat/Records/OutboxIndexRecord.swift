/// A record of the index in `outbox`: where an entry is.
///
/// FORMAT.md, "outbox". Key: (entry id) alone, which sorts after every lane.
package struct OutboxIndexRecord: Hashable, Sendable {
    /// The lane of the entry.
    package var lane: String
    /// Its sequence.
    package var sequence: Int64

    /// Makes a record.
    package init(lane: String, sequence: Int64) {
        self.lane = lane
        self.sequence = sequence
    }

    /// Reads a body.
    package init(decoding body: RawSpan) throws(FormatError) {
        var reader = TupleReader(body)
        lane = try reader.text()
        sequence = try reader.count("sequence")
    }

    /// The body.
    package func encode() -> [UInt8] {
        var writer = TupleWriter()
        writer.append(text: lane)
        writer.append(integer: sequence)
        return writer.bytes
    }

    /// Appends the key of the index record of an entry.
    package static func appendKey(_ entryID: UUIDBytes, to buffer: inout KeyBuffer) throws(FormatError) {
        try buffer.append(uuid: entryID)
    }

    /// The bytes that the key of every index record begins with; also the end of all lanes.
    package static let prefix: [UInt8] = [TupleCode.uuid]

    /// Whether both name the same lane, bytewise, and sequence.
    package static func == (left: OutboxIndexRecord, right: OutboxIndexRecord) -> Bool {
        left.sequence == right.sequence && left.lane.equalsBytewise(right.lane)
    }

    /// Feeds what `==` compares to `hasher`.
    package func hash(into hasher: inout Hasher) {
        lane.hashBytewise(into: &hasher)
        hasher.combine(sequence)
    }
}
