internal import LarderFormat

/// Which keys a walk saw, in 8 bytes each.
///
/// It knows keys by their XXH64. Two keys with the same one are taken for one key: a row that is gone may then stay until the
/// next pass, and no row that is there is ever missed.
package struct SeenKeys: Sendable {
    /// How many keys were inserted.
    package private(set) var count = 0
    /// The same for two walks that saw the same keys, in whatever order.
    private(set) var digest: UInt64 = 0
    private var hashes: [UInt64] = []
    private var isSorted = true

    package init() {}

    /// The hash that a key is known by.
    package static func hash(of key: String) -> UInt64 { Array(key.utf8).rawSpan.xxh64(seed: 0) }

    /// Notes a key by its hash.
    package mutating func insert(_ hash: UInt64) {
        count += 1
        // Mixed once more, so that keys cannot cancel each other out but by chance.
        digest &+= hash &* (hash | 1)
        hashes.append(hash)
        isSorted = false
    }

    /// Makes ``contains(_:)`` possible; after the last insertion.
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
