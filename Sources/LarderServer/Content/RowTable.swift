/// The rows of one resource, in insertion order.
///
/// A copy of the table is a snapshot: it shares the rows until one side changes. Storing and deleting cost O(1); the
/// first change after a snapshot that is still held costs an O(*n*) copy.
struct RowTable: Sendable {
    /// One row as sent over the wire.
    struct Entry: Sendable {
        let key: Origin.RowKey
        let body: [UInt8]
    }

    /// The rows; `nil` where one was deleted.
    private(set) var entries: [Entry?] = []
    private var indexes: [Origin.RowKey: Int] = [:]
    /// The order of the rows in lists; another object after each change of the keys.
    private(set) var order = ListOrder()

    /// The number of rows.
    var count: Int { indexes.count }

    /// Returns whether there is a row of that name.
    func contains(_ key: Origin.RowKey) -> Bool { indexes[key] != nil }

    /// Stores a row at its old place, or at the end.
    ///
    /// - Returns: Whether there was one of that name.
    @discardableResult
    mutating func put(_ entry: Entry) -> Bool {
        if let index = indexes[entry.key] {
            entries[index] = entry
            return true
        }
        indexes[entry.key] = entries.count
        entries.append(entry)
        order = ListOrder()
        return false
    }

    /// Deletes a row.
    ///
    /// - Returns: Whether there was one of that name.
    mutating func delete(_ key: Origin.RowKey) -> Bool {
        guard let index = indexes.removeValue(forKey: key) else { return false }
        entries[index] = nil
        order = ListOrder()
        if entries.count > 64, indexes.count < entries.count / 2 { compact() }
        return true
    }

    private mutating func compact() {
        entries.removeAll { $0 == nil }
        indexes.removeAll(keepingCapacity: true)
        for (place, entry) in entries.enumerated() {
            if let entry { indexes[entry.key] = place }
        }
    }
}
