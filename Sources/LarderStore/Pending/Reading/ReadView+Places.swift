internal import LarderEngine
package import LarderFormat

/// The place of the rows of one resource, found once for many reads.
///
/// It is valid in every view of the commit it was found in.
package struct ResourcePlace: Sendable {
    fileprivate let shown: ShownSource

    /// Whether local writes change any of the resource's rows.
    package var hasOverlays: Bool { shown.hasOverlays }
}

extension ReadView {
    /// Returns the place of the rows of `resource`.
    ///
    /// - Throws: as ``row(at:)``.
    package borrowing func place(of resource: ResourceKey) throws -> ResourcePlace {
        ResourcePlace(shown: try mergedSource(of: resource))
    }

    /// Records that rows of a place from an earlier view of the same commit are read.
    package borrowing func use(_ place: ResourcePlace) {
        recordUse(of: place.shown)
    }

    /// Returns the row at `key`, which belongs to the resource of `place`; as ``row(at:)``.
    @_lifetime(borrow self)
    package borrowing func row(at key: RowKey, in place: ResourcePlace) throws -> Row? {
        try tables.mergedRow(at: key, from: place.shown, in: transaction)
    }

    /// Returns entries of an index that is known to be ready; otherwise as
    /// ``indexEntries(of:in:range:reversed:limit:after:)``.
    package borrowing func indexEntries(
        of index: SecondaryIndex, in place: ResourcePlace, range: IndexRange, reversed: Bool, limit: Int,
        after: IndexEntry?
    ) throws -> [IndexEntry] {
        var scan = try IndexScan(index, range, reversed: reversed, limit: limit, after: after)
        try tables.scan(&scan, place.shown, in: transaction)
        return scan.found
    }

    /// Counts the entries of an index that is known to be ready within `range`, which cuts no text, of a resource
    /// without local writes.
    ///
    /// Each entry is verified; nothing of it is decoded.
    ///
    /// - Parameters:
    ///   - start: the first key to count; nil is the start of the range. Afterwards the key to continue from, or nil at
    ///     the end.
    ///   - limit: the most entries to count.
    /// - Throws: ``StoreError/damaged(table:reason:)``; ``StoreError/invalid(_:)``; `EngineError`.
    /// - Complexity: O(log *n* + entries); nothing is allocated for an entry.
    package borrowing func countEntries(
        of index: SecondaryIndex, in place: ResourcePlace, range: IndexRange, from start: inout [UInt8]?, limit: Int
    ) throws -> Int {
        precondition(!place.hasOverlays, "local writes change the entries")
        let first = start
        start = nil
        guard place.shown.hasRows else { return 0 }
        let scope = IndexEntryKey.Scope.generation(place.shown.rows.generation)
        let prefix = IndexEntryKey.prefix(scope, index: index.number)
        let bounds = try range.encoded(index.definition.collation, prefix)
        var count = 0
        var next: [UInt8]?
        try tables.forEachEntry(
            .indexes, from: first ?? bounds.start, upTo: bounds.end, reversed: false, checksNeighbors: true,
            in: transaction
        ) { entry in
            if count == limit {
                next = [UInt8](copying: entry.key)
                return false
            }
            _ = try Tables.body(of: entry.value, key: entry.key, table: .indexes)
            count += 1
            return true
        }
        start = next
        return count
    }
}

extension IndexRange {
    /// Whether an index decides about every value by its entry alone: it compares texts byte for byte, and neither bound
    /// is longer than an entry.
    package func isExact(_ collation: IndexCollation) -> Bool {
        collation == .binary
            && [lower, upper].allSatisfy { bound in
                bound.map { IndexTerm($0.value, collation)?.isCut == false } ?? true
            }
    }
}
