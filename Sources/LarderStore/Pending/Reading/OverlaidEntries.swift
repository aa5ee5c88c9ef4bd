internal import LarderEngine
internal import LarderFormat

/// The index entries of rows with overlays, read in batches.
struct OverlaidEntries {
    /// The most that are read at once.
    private static let batchSize = 32

    private let isReversed: Bool
    private let limit: Int
    /// The prefix of their keys.
    private let prefix: [UInt8]
    /// The first key that was not read yet, and the first key beyond the range.
    private var start: [UInt8]
    private var end: [UInt8]
    private var isAtEnd: Bool
    private var found: [IndexCandidate] = []
    private var position = 0

    init(of scan: IndexScan, _ merged: ShownSource) throws(StoreError) {
        isReversed = scan.isReversed
        limit = min(Self.batchSize, scan.limit)
        prefix = IndexEntryKey.prefix(.overlaid(merged.rows.owner), index: scan.index.number)
        (start, end) = try scan.bounds(prefix)
        isAtEnd = !merged.hasOverlays
    }

    /// Returns the next entry; nil at the end.
    mutating func next(_ tables: Tables, _ source: ReadTransaction) throws -> IndexCandidate? {
        guard let next = try peek(tables, source) else { return nil }
        position += 1
        return next
    }

    /// Returns the next entry if it comes before the entry at `place`, else nil.
    mutating func next(before place: [UInt8], _ tables: Tables, _ source: ReadTransaction) throws -> IndexCandidate? {
        guard let next = try peek(tables, source) else { return nil }
        let (first, second) = isReversed ? (place, next.place) : (next.place, place)
        return first.rawSpan.lexicographicallyPrecedes(second.rawSpan) ? try self.next(tables, source) : nil
    }

    private mutating func peek(_ tables: Tables, _ source: ReadTransaction) throws -> IndexCandidate? {
        if position < found.count { return found[position] }
        if isAtEnd { return nil }
        (found, position) = ([], 0)
        var last: [UInt8] = []
        var next: [IndexCandidate] = []
        try tables.forEachEntry(
            .indexes, from: start, upTo: end, reversed: isReversed, checksNeighbors: true, in: source
        ) { entry in
            next.append(try Tables.candidate(entry, after: prefix))
            last = [UInt8](copying: entry.key)
            return next.count < limit
        }
        isAtEnd = next.count < limit
        if isReversed { end = last } else { start = last + [0] }
        found = next
        return found.first
    }
}
