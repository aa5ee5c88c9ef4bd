import LarderFormat

/// Distinguishes the request of a key from one that uses the key by mistake: 128 bits over method, path and body.
///
/// The bits are two XXH64 checksums with different seeds. They detect mistakes, not attacks: a client that forges a
/// collision within its account gets its own earlier response.
public struct RequestFingerprint: Hashable, Sendable {
    /// The first half.
    public let first: UInt64
    /// The second half.
    public let second: UInt64

    /// Creates a fingerprint of both halves, as a store kept them.
    public init(_ first: UInt64, _ second: UInt64) {
        self.first = first
        self.second = second
    }

    /// Computes the fingerprint of a request.
    ///
    /// - Parameters:
    ///   - method: The method as sent: methods are case-sensitive (RFC 9110 §9.1).
    ///   - path: The path with its query.
    ///   - body: The whole body, compared byte by byte.
    public init(method: String, path: String, body: [UInt8]) {
        var head = TupleWriter()
        head.append(text: method)
        head.append(text: path)
        first = Self.half(head.bytes, body, seed: 1)
        second = Self.half(head.bytes, body, seed: 2)
    }

    private static func half(_ head: [UInt8], _ body: [UInt8], seed: UInt64) -> UInt64 {
        body.rawSpan.xxh64(seed: head.rawSpan.xxh64(seed: seed))
    }
}
