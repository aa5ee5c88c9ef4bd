/// A request body that is read piece by piece while it is sent, so that it need not be in memory as a whole.
public struct StreamedBody: Sendable {
    /// Its length in bytes; 0 or more.
    public let byteCount: Int64

    private let read: @Sendable (Range<Int64>) throws -> [UInt8]

    /// Creates a body of `byteCount` bytes that calls `read` for each piece.
    ///
    /// - Parameter read: Returns exactly the bytes of a range. It is called on any thread, once at a time, in ascending
    ///   order, and again from the start when a connection fails before it sent anything. It may block for as long as a
    ///   medium needs.
    public init(byteCount: Int64, read: @escaping @Sendable (Range<Int64>) throws -> [UInt8]) {
        precondition(byteCount >= 0, "a length of \(byteCount) bytes")
        self.byteCount = byteCount
        self.read = read
    }

    /// The size of the pieces that transports read, in bytes.
    package static let pieceSize: Int64 = 128 << 10

    /// Returns the bytes from `start` on, at most a piece; nil after the end.
    ///
    /// - Throws: The error of `read`; ``TransportError/other(reason:)`` when it returns too few or too many bytes.
    package func piece(from start: Int64) throws -> [UInt8]? {
        guard start < byteCount else { return nil }
        let range = start..<min(start + Self.pieceSize, byteCount)
        let bytes = try read(range)
        guard bytes.count == range.count else {
            throw TransportError.other(reason: "\(bytes.count) bytes of a body, where \(range.count) were to come")
        }
        return bytes
    }

    /// Returns the whole body.
    ///
    /// - Throws: The ``TransportError`` of ``piece(from:)``; ``TransportError/invalidRequest(reason:)`` for other
    ///   errors of `read`.
    func collect() throws(TransportError) -> [UInt8] {
        var whole: [UInt8] = []
        do {
            while let piece = try piece(from: Int64(whole.count)) { whole.append(contentsOf: piece) }
        } catch let error as TransportError {
            throw error
        } catch {
            throw .invalidRequest(reason: "the body could not be read: \(error)")
        }
        return whole
    }
}
