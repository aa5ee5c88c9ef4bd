/// The first key beyond a range, compared with each key of a walk over the range.
package struct KeyBound {
    private let key: [UInt8]
    /// The first eight bytes, big-endian; zeros where there are fewer.
    private let head: UInt64

    /// Keeps a key.
    package init(_ key: [UInt8]) {
        self.key = key
        head = key.prefix(8).enumerated().reduce(0) { $0 | UInt64($1.element) << UInt64(56 - 8 * $1.offset) }
    }

    /// Whether a key is in front of this one.
    package func isAfter(_ other: RawSpan) -> Bool {
        if let bytes = other.littleEndian(at: 0, as: UInt64.self) {
            let otherHead = bytes.byteSwapped
            if otherHead != head { return otherHead < head }
        }
        return other.lexicographicallyPrecedes(key.rawSpan)
    }
}
