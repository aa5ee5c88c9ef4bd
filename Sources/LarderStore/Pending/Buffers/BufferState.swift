public import LarderFormat

/// How a ring of points is, and how its upload goes.
public struct BufferState: Hashable, Sendable {
    /// The points kept.
    public internal(set) var pointCount = 0
    /// The points dropped because the ring was full, since it was made.
    public internal(set) var dropped = 0
    /// The points dropped because the server refused them, likewise.
    public internal(set) var refused = 0
    /// The sequence the next point gets.
    public internal(set) var nextSequence: Int64 = 1
    /// How its upload goes.
    public var upload = BufferUpload()

    /// A ring without points.
    public init() {}
}

/// How the upload of a ring goes: all of it that changes with a try.
public struct BufferUpload: Hashable, Sendable {
    /// Points that are uploaded together, until that is answered.
    public struct Flight: Hashable, Sendable {
        /// Their sequences; some may be missing in between.
        public let sequences: ClosedRange<Int64>
        /// The idempotency key.
        public let key: UUIDBytes

        /// A flight of these parts.
        public init(sequences: ClosedRange<Int64>, key: UUIDBytes) {
            self.sequences = sequences
            self.key = key
        }
    }

    /// What is being uploaded, or was not answered; stored before the first byte goes out.
    public var flight: Flight?
    /// How often sending the flight was begun.
    public var tries = 0
    /// How many tries failed in a row.
    public var failures = 0
    /// When the next try is due after a failure, in milliseconds since 1970-01-01 UTC.
    public var dueAt: Int64?
    /// Points up to this sequence are uploaded one by one; 0: none.
    public var aloneThrough: Int64 = 0

    /// Nothing is being uploaded.
    public init() {}
}

/// A point in a ring.
public struct BufferedPoint: Hashable, Sendable {
    /// Its place; never given twice in its ring.
    public let sequence: Int64
    /// When it was recorded, in milliseconds since 1970-01-01 UTC.
    public let time: Int64
    /// The host's content.
    public let payload: [UInt8]
}

extension BufferState {
    init(record: BufferRecord) {
        pointCount = Int(clamping: record.pointCount)
        dropped = Int(clamping: record.dropped)
        refused = Int(clamping: record.refused)
        nextSequence = record.nextSequence
        upload.flight = record.flight.map { BufferUpload.Flight(sequences: $0.first...$0.last, key: $0.key) }
        upload.tries = Int(clamping: record.tries)
        upload.failures = Int(clamping: record.failures)
        upload.dueAt = record.dueAt
        upload.aloneThrough = record.aloneThrough
    }
}

extension BufferUpload {
    /// Puts all of it into `record`.
    func write(to record: inout BufferRecord) {
        record.flight = flight.map {
            BufferRecord.Flight(first: $0.sequences.lowerBound, last: $0.sequences.upperBound, key: $0.key)
        }
        record.tries = Int64(tries)
        record.failures = Int64(failures)
        record.dueAt = dueAt
        record.aloneThrough = aloneThrough
    }
}
