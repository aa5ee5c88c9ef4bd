/// Ranges of keys whose pages cannot be read, by table.
package struct LostKeys: Hashable, Sendable {
    private struct Range: Hashable {
        /// nil: from the first key on.
        let low: [UInt8]?
        /// nil: up to the last key.
        let high: [UInt8]?
    }

    private var ranges: [String: [Range]] = [:]
    private var isEverything = false

    /// Creates a value without ranges.
    package init() {}

    /// Returns whether any key of a table is lost.
    package func hasAny(of table: String) -> Bool { isEverything || ranges[table] != nil }

    /// Returns whether a page that may have held a key is lost.
    ///
    /// - Complexity: linear in the number of lost pages of the table.
    package func contains(_ key: [UInt8], of table: String) -> Bool {
        if isEverything { return true }
        return ranges[table]?.contains { range in
            if let low = range.low, key.lexicographicallyPrecedes(low) { return false }
            return range.high.map { key.lexicographicallyPrecedes($0) } ?? true
        } ?? false
    }

    mutating func insert(_ table: String, from low: [UInt8]?, to high: [UInt8]?) {
        ranges[table, default: []].append(Range(low: low, high: high))
    }

    /// Makes every key of every table a lost one.
    mutating func insertAll() { isEverything = true }
}
