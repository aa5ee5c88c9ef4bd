public import LarderFormat
internal import LarderJSON
public import LarderStore

/// What of an answer to an accepted write becomes the row of its first effect, for writes that load it.
public struct AnswerLoading: Sendable {
    /// A row as the server has it.
    public struct LoadedRow: Hashable, Sendable {
        /// The payload.
        public var payload: [UInt8]
        /// How it is to be read.
        public var codec: PayloadCodec
        /// When the server last changed it, in milliseconds since 1970-01-01 UTC; nil where it does not say.
        public var updatedAt: Int64?

        /// A row of these parts.
        public init(payload: [UInt8], codec: PayloadCodec = .json, updatedAt: Int64? = nil) {
            self.payload = payload
            self.codec = codec
            self.updatedAt = updatedAt
        }
    }

    /// The row in the body of an answer to `entry`, be it the answer to the write or to the GET after it; nil when there is
    /// none.
    public var row: @Sendable (_ entry: OutboxEntry, _ body: [UInt8]) -> LoadedRow?

    /// A loading of the host's.
    public init(_ row: @escaping @Sendable (_ entry: OutboxEntry, _ body: [UInt8]) -> LoadedRow?) {
        self.row = row
    }

    /// A body that is one JSON object is the row.
    public static let json = AnswerLoading { _, body in
        JSONMembers(body) == nil ? nil : LoadedRow(payload: body)
    }
}
