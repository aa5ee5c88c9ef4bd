/// A request body that is read piece by piece while it is sent, so that none of it has to lie in memory whole.
public struct StreamedBody: Sendable {
    /// Its length in bytes; 0 or more.
    public let byteCount: Int64

    private let read: @Sendable (Range<Int64>) throws -> [UInt8]

    /// A body of `byteCount` bytes that asks `read` for each piece.
    ///
    /// - Parameter read: gives exactly the bytes of a range; called on any thread, once at a time, in ascending order; may be
    ///   called again from the start when a connection fails before it carried anything. May block for as long as a medium
    ///   takes.
    public init(byteCount: Int64, read: @escaping @Sendable (Range<Int64>) throws -> [UInt8]) {
        precondition(byteCount >= 0, "a length of \(byteCount) bytes")
        self.byteCount = byteCount
        self.read = read
    }

    /// The pieces that transports ask for, in bytes.
    package static let pieceSize: Int64 = 128 << 10

    /// The bytes from `start` on, at most a piece; nil behind the end.
    ///
    /// - Throws: what `read` throws; ``TransportError/other(reason:)`` when it gives too few or too many.
    package func piece(from start: Int64) throws -> [UInt8]? {
        guard start < byteCount else { return nil }
        let range = start..<min(start + Self.pieceSize, byteCount)
        let bytes = try read(range)
        guard bytes.count == range.count else {
            throw TransportError.other(reason: "\(bytes.count) bytes of a body, where \(range.count) were to come")
        }
        return bytes
    }

    /// All of it.
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
