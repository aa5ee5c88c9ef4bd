/// A record of `buffers` that describes a ring of points and the state of its upload.
///
/// FORMAT.md, "buffers". Key: (buffer, account).
public struct BufferState: TupleRecord, Hashable, Sendable {
    /// The points kept, 0 or more.
    public package(set) var pointCount = 0
    /// The points dropped because the ring was full, since it was created.
    public package(set) var dropped = 0
    /// The points dropped because the server refused them, since the ring was created.
    public package(set) var refused = 0
    /// The sequence the next point gets.
    public package(set) var nextSequence: Int64 = 1
    /// The state of its upload.
    public var upload = BufferUpload()

    /// A ring without points.
    public init() {}

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.count("nextSequence", &nextSequence)
        coder.count("points", &pointCount)
        coder.count("dropped", &dropped)
        coder.count("refused", &refused)
        var (first, last) = (upload.batch?.sequences.lowerBound, upload.batch?.sequences.upperBound)
        var key = upload.batch?.key
        coder.count("flightFirst", &first)
        coder.count("flightLast", &last)
        coder.uuid(&key)
        if let first, let last, let key, first <= last {
            upload.batch = BufferUpload.Batch(sequences: first...last, key: key)
        } else {
            coder.require(first == nil && last == nil && key == nil, "flight", first ?? last ?? 0)
        }
        coder.count("tries", &upload.tries)
        coder.count("failures", &upload.failures)
        coder.integer(&upload.dueAt)
        coder.count("unbatchedThrough", &upload.unbatchedThrough)
    }
}

/// The state of a ring's upload: everything that changes with an attempt.
public struct BufferUpload: Hashable, Sendable {
    /// Points that are uploaded together, until the server responds.
    public struct Batch: Hashable, Sendable {
        /// Their sequences; some may be missing in between.
        public let sequences: ClosedRange<Int64>
        /// The idempotency key.
        public let key: UUIDBytes

        /// Creates an upload batch of these parts.
        public init(sequences: ClosedRange<Int64>, key: UUIDBytes) {
            self.sequences = sequences
            self.key = key
        }
    }

    /// The upload under way, or the last one if the server did not respond; stored before its first byte is sent.
    public var batch: Batch?
    /// The number of times that sending the batch was begun, 0 or more.
    public var tries = 0
    /// The number of tries that failed in a row, 0 or more.
    public var failures = 0
    /// When the next try is due after a failure, in milliseconds since 1970-01-01 UTC.
    public var dueAt: Int64?
    /// The sequence up to which points are uploaded one by one; 0 for none.
    public var unbatchedThrough: Int64 = 0

    /// Creates a state without an upload.
    public init() {}
}

/// A record of `buffers` that is a point in a ring. Key: (buffer, account, sequence).
public struct BufferedPoint: TupleRecord, Hashable, Sendable {
    /// Its place, never assigned twice in its ring. Only the key has it: it is 0 where the record was read by itself.
    public package(set) var sequence: Int64 = 0
    /// When it was recorded, in milliseconds since 1970-01-01 UTC.
    public package(set) var time: Int64 = 0
    /// The app's content, at most ``Limits/bufferPoint`` bytes.
    public package(set) var payload: [UInt8] = []

    package init() {}

    /// A point of these parts.
    package init(time: Int64, payload: [UInt8]) {
        self.time = time
        self.payload = payload
    }

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.integer(&time)
        coder.bytes(&payload)
    }
}
