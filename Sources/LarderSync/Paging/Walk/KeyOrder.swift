internal import LarderFormat

/// The orders that a server may use when it pages by key: the store's, or that of the bytes.
///
/// “After a key” has a meaning only in an order, so a list that is paged by key has to keep to one of them. A list that
/// is paged by offset may have any order.
struct KeyOrder: Hashable, Sendable {
    private var mayBeOfStore = true
    private var mayBeOfBytes = true

    /// Whether a key that follows another one keeps to an order that all keys before kept to.
    mutating func check(_ key: String, after other: String) -> Bool {
        if !RecordKey.precedes(other, key) { mayBeOfStore = false }
        if !other.utf8.lexicographicallyPrecedes(key.utf8) { mayBeOfBytes = false }
        return mayBeOfStore || mayBeOfBytes
    }
}
