public import LarderFormat
internal import LarderJSON
public import LarderStore

/// The function that extracts a row from the response to an accepted write. The row replaces that of the write's first
/// effect, for writes that load it.
public struct ResponseLoading: Sendable {
    /// A row in the server's version.
    public struct LoadedRow: Hashable, Sendable {
        /// The payload.
        public var payload: [UInt8]
        /// The codec of the payload.
        public var codec: PayloadCodec
        /// The time of the server's last change, in milliseconds since 1970-01-01 UTC; nil where the server does not
        /// report it.
        public var updatedAt: Int64?

        /// Creates a row.
        public init(payload: [UInt8], codec: PayloadCodec = .json, updatedAt: Int64? = nil) {
            self.payload = payload
            self.codec = codec
            self.updatedAt = updatedAt
        }
    }

    /// Returns the row in the body of a response to `entry`, either to the write or to the GET after it; nil when there
    /// is none.
    public var row: @Sendable (_ entry: OutboxEntry, _ body: [UInt8]) -> LoadedRow?

    /// Creates a loading with a function of the host.
    public init(_ row: @escaping @Sendable (_ entry: OutboxEntry, _ body: [UInt8]) -> LoadedRow?) {
        self.row = row
    }

    /// A loading for which a body that is one JSON object is the row.
    public static let json = ResponseLoading { _, body in
        JSONMembers(body) == nil ? nil : LoadedRow(payload: body)
    }
}
