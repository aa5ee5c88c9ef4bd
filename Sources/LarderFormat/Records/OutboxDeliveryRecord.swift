/// A record of `outbox` under the identity of an entry: where the entry lies, and how its delivery goes.
///
/// FORMAT.md, "outbox". Key: (entry id) alone, which sorts after every lane. It is all that changes with a try.
package struct OutboxDeliveryRecord: Hashable, Sendable {
    /// How far the delivery is.
    package enum State: Int64, Sendable, CaseIterable {
        /// To be sent when its turn comes.
        case pending = 0
        /// A send was begun, and what came of it is not recorded yet.
        case sending = 1
        /// Tried; the next try is due at a time.
        case waiting = 2
        /// The attempts are used up.
        case failed = 3
        /// Nobody can tell whether the server has it.
        case unresolved = 4
        /// The server refused it.
        case rejected = 5
        /// The server holds something else.
        case conflicted = 6
    }

    /// The lane of the entry.
    package var lane: String
    /// Its sequence.
    package var sequence: Int64
    /// How far the delivery is.
    package var state: State
    /// How often a send was begun.
    package var tries: Int64
    /// How many answers asked for another try, since the entry was made or revived.
    package var attempts: Int64
    /// How many tries failed in a row.
    package var failures: Int64
    /// When the first send was begun, in milliseconds since 1970-01-01 UTC.
    package var firstTriedAt: Int64?
    /// When the last one was, likewise.
    package var lastTriedAt: Int64?
    /// Whether some send was not answered, so that the server may have the write.
    package var isInDoubt: Bool
    /// When the next try is due, likewise; for ``State/waiting``.
    package var dueAt: Int64?
    /// The key of the batch it travels in.
    package var batch: UUIDBytes?
    /// Whether it is not to travel in a batch any more.
    package var isAlone: Bool
    /// The status of the last answer.
    package var lastStatus: Int64?
    /// What went wrong last, in one line without content.
    package var lastError: String?
    /// The bytes it counts for: those of the entry's record and of its body.
    package var byteCount: Int64

    /// An entry that was not tried yet.
    package init(lane: String, sequence: Int64, byteCount: Int64 = 0) {
        self.lane = lane
        self.sequence = sequence
        self.byteCount = byteCount
        state = .pending
        tries = 0
        attempts = 0
        failures = 0
        isInDoubt = false
        isAlone = false
    }

    /// Reads a body.
    package init(decoding body: RawSpan) throws(FormatError) {
        var reader = TupleReader(body)
        lane = try reader.text()
        sequence = try reader.count("sequence")
        state = try reader.state("state", as: State.self)
        tries = try reader.count("tries")
        attempts = try reader.count("attempts")
        failures = try reader.count("failures")
        firstTriedAt = try reader.optionalInteger()
        lastTriedAt = try reader.optionalInteger()
        isInDoubt = try reader.bool()
        dueAt = try reader.optionalInteger()
        batch = try reader.optionalUUID()
        isAlone = try reader.bool()
        lastStatus = try reader.optionalInteger()
        lastError = try reader.optionalText()
        byteCount = try reader.count("byteCount")
    }

    /// The body.
    package func encode() -> [UInt8] {
        var writer = TupleWriter()
        writer.append(text: lane)
        writer.append(integer: sequence)
        writer.append(integer: state.rawValue)
        writer.append(integer: tries)
        writer.append(integer: attempts)
        writer.append(integer: failures)
        writer.append(optionalInteger: firstTriedAt)
        writer.append(optionalInteger: lastTriedAt)
        writer.append(bool: isInDoubt)
        writer.append(optionalInteger: dueAt)
        writer.append(optionalUUID: batch)
        writer.append(bool: isAlone)
        writer.append(optionalInteger: lastStatus)
        writer.append(optionalText: lastError)
        writer.append(integer: byteCount)
        return writer.bytes
    }

    /// Appends the key of the record of an entry.
    package static func appendKey(_ entryID: UUIDBytes, to buffer: inout KeyBuffer) throws(FormatError) {
        try buffer.append(uuid: entryID)
    }

    /// The bytes that the key of every such record begins with; also the end of all lanes.
    package static let prefix: [UInt8] = [TupleCode.uuid]

    /// Whether both name the same lane, bytewise, and sequence.
    package func isAtPlace(of other: OutboxDeliveryRecord) -> Bool {
        sequence == other.sequence && lane.equalsBytewise(other.lane)
    }
}
