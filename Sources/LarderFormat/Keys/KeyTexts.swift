/// The form in which addresses, queries and tags stand in keys: readable, or in a sealed store as keyed hashes.
///
/// FORMAT.md, "Sealed values".
package struct KeyTexts: Sendable {
    /// Returns a keyed hash of 16 bytes or more; nil where texts are readable.
    private let hash: (@Sendable ([UInt8]) -> [UInt8])?

    /// Texts as they are.
    package static let readable = KeyTexts(hash: nil)

    /// Texts hashed by `hash`, which returns at least 16 bytes; nil leaves them as they are.
    package init(hash: (@Sendable ([UInt8]) -> [UInt8])?) { self.hash = hash }

    /// Whether keys have no readable texts, so that those with one beginning are not adjacent.
    package var areHashed: Bool { hash != nil }

    private enum Purpose: UInt8 {
        case cacheKey = 1
        case tag = 2
        case collection = 3
    }

    /// The beginning and the hash of a cache key.
    func place(ofCacheKey key: String) -> (prefix: String, hash: Int64) {
        guard let hash else { return (ResponseAddress.keyPrefix(of: key), ResponseAddress.hash(of: key)) }
        return ("", Self.bits(hash([Purpose.cacheKey.rawValue] + Array(key.utf8))))
    }

    /// The element for a tag.
    package func tag(_ tag: String) -> String {
        guard let hash else { return tag }
        let digits = Array("0123456789abcdef")
        let bytes = hash([Purpose.tag.rawValue] + Array(tag.utf8)).prefix(16)
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    /// The head and the hash of a collection's name.
    func head(of name: CollectionName) -> (prefix: String, hash: Int64) {
        guard let hash else { return (name.queryPrefix, name.hash) }
        return ("", Self.bits(hash([Purpose.collection.rawValue] + name.identityBytes)))
    }

    /// The first eight bytes, little-endian, as an integer with these bits.
    private static func bits(_ hash: [UInt8]) -> Int64 {
        Int64(bitPattern: hash.rawSpan.littleEndian(at: 0, as: UInt64.self) ?? 0)
    }
}
