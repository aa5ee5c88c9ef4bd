internal import LarderFormat

/// The set of keys that a walk saw, in 8 bytes each.
///
/// Keys are identified by their XXH64. Two keys with the same hash count as one. A row that is gone may then stay until
/// the next pass, but no row of the list ever counts as missing.
package struct SeenKeys: Sendable {
    /// The number of keys inserted.
    package private(set) var count = 0
    /// A digest that is the same for two walks that saw the same keys, in whatever order.
    private(set) var digest: UInt64 = 0
    private var hashes: [UInt64] = []
    private var isSorted = true

    package init() {}

    /// Returns the hash that identifies a key.
    package static func hash(of key: String) -> UInt64 { Array(key.utf8).rawSpan.xxh64(seed: 0) }

    /// Inserts a key by its hash.
    package mutating func insert(_ hash: UInt64) {
        count += 1
        // The hash is mixed once more, so that keys cancel each other out only by a random collision.
        digest &+= hash &* (hash | 1)
        hashes.append(hash)
        isSorted = false
    }

    /// Sorts the hashes, as ``contains(_:)`` requires; called after the last insertion.
    package mutating func sort() {
        hashes.sort()
        isSorted = true
    }

    /// Whether a key with this hash was inserted.
    ///
    /// - Complexity: O(log *n*) for *n* keys.
    package func contains(_ hash: UInt64) -> Bool {
        precondition(isSorted, "keys are looked for before they were sorted")
        var (low, high) = (0, hashes.count)
        while low < high {
            let middle = low + (high - low) / 2
            if hashes[middle] < hash { low = middle + 1 } else { high = middle }
        }
        return low < hashes.count && hashes[low] == hash
    }
}
