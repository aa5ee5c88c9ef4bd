import LarderFormat

/// Tells the request of a key from another one that uses the key by mistake: 128 bits over method, path and body.
///
/// Two XXH64 checksums with different seeds. It finds mistakes; who forges a collision within the own account gets
/// the own earlier answer.
public struct RequestFingerprint: Hashable, Sendable {
    /// The first half.
    public let first: UInt64
    /// The second half.
    public let second: UInt64

    /// Takes both halves, as a store has kept them.
    public init(_ first: UInt64, _ second: UInt64) {
        self.first = first
        self.second = second
    }

    /// The fingerprint of a request.
    ///
    /// - Parameters:
    ///   - method: As it is sent: methods are case-sensitive (RFC 9110 §9.1).
    ///   - path: With the query.
    ///   - body: All of it; compared byte by byte, whatever it means.
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
