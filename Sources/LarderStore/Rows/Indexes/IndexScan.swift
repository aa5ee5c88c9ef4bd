internal import LarderEngine
internal import LarderFormat

/// A row that may belong to a scan of an index.
struct IndexCandidate {
    /// The key of its entry without the prefix of all keys of the index: value, type and key, encoded.
    var place: [UInt8]
    var term: IndexTerm
    var type: String
    var name: String
}

/// A scan of the rows of an index in key order, which collects the requested ones.
///
/// Rows whose entries hold the same beginning of a text are held back until the last of them was read. They are then
/// sorted by the whole texts, which are read from the rows.
struct IndexScan {
    let index: SecondaryIndex
    let range: IndexRange
    let isReversed: Bool
    let limit: Int
    /// The last entry of the scan before this one.
    let after: IndexEntry?
    /// Its encoded place; for cut texts, the whole values are compared first.
    private let afterPlace: [UInt8]?
    private(set) var found: [IndexEntry] = []
    private var run: [IndexCandidate] = []

    init(
        _ index: SecondaryIndex, _ range: IndexRange, reversed: Bool, limit: Int, after: IndexEntry?
    ) throws(StoreError) {
        self.index = index
        self.range = range
        isReversed = reversed
        self.limit = limit
        self.after = after
        afterPlace = try after.map { (entry) throws(StoreError) in
            try Transaction.key { buffer in
                let term = IndexTerm(entry.value, index.definition.collation) ?? .null
                _ = try IndexEntryKey.appendPosition(term, type: entry.type, key: entry.key, to: &buffer)
            }
        }
    }

    /// The first key to read, and the first one beyond.
    ///
    /// - Parameter prefix: the bytes that the keys begin with.
    func bounds(_ prefix: [UInt8]) throws(StoreError) -> (start: [UInt8], end: [UInt8]) {
        var (start, end) = try range.encoded(index.definition.collation, prefix)
        guard let afterPlace, let after else { return (start, end) }
        let term = IndexTerm(after.value, index.definition.collation) ?? .null
        var edge = prefix + afterPlace
        if term.isCut {
            // All texts that are equal as far as they go have to be read again.
            let equal = try prefix + Transaction.key { try term.append(to: &$0) }
            edge = isReversed ? endOfKeys(beginningWith: equal) : equal
        } else if !isReversed {
            edge.append(0)
        }
        if isReversed {
            if edge.rawSpan.lexicographicallyPrecedes(end.rawSpan) { end = edge }
        } else if start.rawSpan.lexicographicallyPrecedes(edge.rawSpan) {
            start = edge
        }
        return (start, end)
    }

    /// Handles the next row; returns false when no more are wanted.
    ///
    /// - Parameter wholeValue: reads the value of a row from the row itself, where its entry has only a part.
    mutating func visit(
        _ candidate: IndexCandidate, _ wholeValue: (IndexCandidate) throws -> IndexValue
    ) throws -> Bool {
        if let first = run.first, first.term != candidate.term, try !flush(wholeValue) { return false }
        if candidate.term.isCut {
            run.append(candidate)
            return true
        }
        return append(IndexEntry(value: candidate.term.value, type: candidate.type, key: candidate.name))
    }

    /// Collects the rows that were held back; returns false when no more are wanted.
    mutating func flush(_ wholeValue: (IndexCandidate) throws -> IndexValue) throws -> Bool {
        if run.isEmpty { return true }
        let collation = index.definition.collation
        var whole: [(value: IndexValue, candidate: IndexCandidate)] = []
        for candidate in run {
            let value = try wholeValue(candidate)
            if range.contains(value, collation), isPastAfter(value, candidate) { whole.append((value, candidate)) }
        }
        run.removeAll()
        whole.sort { left, right in
            let (first, second) = isReversed ? (right, left) : (left, right)
            if collation.precedes(first.value, second.value) { return true }
            if collation.precedes(second.value, first.value) { return false }
            return first.candidate.place.rawSpan.lexicographicallyPrecedes(second.candidate.place.rawSpan)
        }
        for (value, candidate) in whole
        where !append(IndexEntry(value: value, type: candidate.type, key: candidate.name)) {
            return false
        }
        return true
    }

    /// Whether a row whose value is cut sorts after the entry to continue from.
    private func isPastAfter(_ value: IndexValue, _ candidate: IndexCandidate) -> Bool {
        guard let after, let afterPlace else { return true }
        let collation = index.definition.collation
        if collation.precedes(value, after.value) { return isReversed }
        if collation.precedes(after.value, value) { return !isReversed }
        return isReversed
            ? candidate.place.rawSpan.lexicographicallyPrecedes(afterPlace.rawSpan)
            : afterPlace.rawSpan.lexicographicallyPrecedes(candidate.place.rawSpan)
    }

    private mutating func append(_ entry: IndexEntry) -> Bool {
        guard found.count < limit else { return false }
        found.append(entry)
        return found.count < limit
    }
}
