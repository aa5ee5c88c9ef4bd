internal import LarderFormat

/// The orders in which a server that goes on behind a key may answer: the store's, or that of the bytes.
///
/// Behind a key means something only in an order, so a list that is asked for by key has to keep to one of them. A list that
/// is asked for by counting may have any.
struct KeyOrder: Hashable, Sendable {
    private var mayBeOfStore = true
    private var mayBeOfBytes = true

    /// Whether a key that follows another one keeps to an order that all before kept to.
    mutating func accepts(_ key: String, after other: String) -> Bool {
        if !RecordKey.precedes(other, key) { mayBeOfStore = false }
        if !other.utf8.lexicographicallyPrecedes(key.utf8) { mayBeOfBytes = false }
        return mayBeOfStore || mayBeOfBytes
    }
}
