internal import LarderEngine
internal import LarderFormat

/// A row that may belong to a scan of an index.
struct IndexCandidate {
    /// The encoded key of its entry.
    var key: [UInt8]
    var term: IndexTerm
    var type: String
    var name: String
    /// The whole value, where it is known.
    var value: IndexValue?
}

/// Takes the rows of an index in the order of their keys and passes on what was asked for.
///
/// Texts that are equal as far as their entries go are held back until the last of them is there, and put in the order
/// of their whole values, which their rows tell.
struct IndexScan {
    let index: SecondaryIndex
    let range: IndexRange
    let isReversed: Bool
    let limit: Int
    /// Where the scan before this one ended.
    let after: IndexEntry?
    /// The key of that place; texts that are cut are compared instead.
    private let afterKey: [UInt8]?
    private(set) var found: [IndexEntry] = []
    private var run: [IndexCandidate] = []

    init(
        _ index: SecondaryIndex, _ range: IndexRange, reversed: Bool, limit: Int, after: IndexEntry?,
        generation: Int64
    ) throws(StoreError) {
        self.index = index
        self.range = range
        isReversed = reversed
        self.limit = limit
        self.after = after
        afterKey = try after.map { (entry) throws(StoreError) in
            try Self.key(of: entry.value, entry.type, entry.key, index, generation: generation).key
        }
    }

    /// The encoded key a row has under a value, and its form.
    static func key(
        of value: IndexValue, _ type: String, _ key: String, _ index: SecondaryIndex, generation: Int64
    ) throws(StoreError) -> (key: [UInt8], term: IndexTerm) {
        let term = IndexTerm(value, index.definition.collation) ?? .null
        var buffer = KeyBuffer()
        do throws(FormatError) {
            _ = try IndexEntryKey.encode(
                generation: generation, index: index.number, term: term, type: type, key: key, to: &buffer)
        } catch {
            throw .invalid(error)
        }
        return (buffer.array(), term)
    }

    /// The first key to look at, and the first one beyond.
    func bounds(generation: Int64) throws(StoreError) -> (start: [UInt8], end: [UInt8]) {
        var (start, end) = try range.encoded(
            index.definition.collation, generation: generation, index: index.number)
        guard let afterKey, let after else { return (start, end) }
        let term = IndexTerm(after.value, index.definition.collation) ?? .null
        var edge = afterKey
        if term.isCut {
            // All of those that are equal as far as they go have to be looked at again.
            var buffer = KeyBuffer()
            do throws(FormatError) {
                try term.append(to: &buffer)
            } catch {
                throw .invalid(error)
            }
            let prefix = IndexEntryKey.prefix(generation: generation, index: index.number) + buffer.array()
            edge = isReversed ? (successor(ofPrefix: prefix) ?? prefix) : prefix
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

    /// Takes the next row. False when nothing more is wanted.
    ///
    /// - Parameter wholeValue: reads the value of a row that only its row tells.
    mutating func visit(
        _ candidate: IndexCandidate, _ wholeValue: (IndexCandidate) throws -> IndexValue
    ) throws -> Bool {
        if let held = run.first, held.term != candidate.term, try !flush(wholeValue) { return false }
        if candidate.term.isCut {
            run.append(candidate)
            return true
        }
        return take(IndexEntry(value: candidate.term.value, type: candidate.type, key: candidate.name))
    }

    /// Passes on what was held back. False when nothing more is wanted.
    mutating func flush(_ wholeValue: (IndexCandidate) throws -> IndexValue) throws -> Bool {
        if run.isEmpty { return true }
        let collation = index.definition.collation
        var whole: [(value: IndexValue, candidate: IndexCandidate)] = []
        for candidate in run {
            let value = try wholeValue(candidate)
            if range.contains(value, collation), isBehind(value, candidate) { whole.append((value, candidate)) }
        }
        run.removeAll()
        whole.sort { left, right in
            let (first, second) = isReversed ? (right, left) : (left, right)
            if collation.precedes(first.value, second.value) { return true }
            if collation.precedes(second.value, first.value) { return false }
            return first.candidate.key.rawSpan.lexicographicallyPrecedes(second.candidate.key.rawSpan)
        }
        for (value, candidate) in whole
        where !take(IndexEntry(value: value, type: candidate.type, key: candidate.name)) {
            return false
        }
        return true
    }

    /// Whether a row whose value is cut lies behind the place to go on from.
    private func isBehind(_ value: IndexValue, _ candidate: IndexCandidate) -> Bool {
        guard let after, let afterKey else { return true }
        let collation = index.definition.collation
        if collation.precedes(value, after.value) { return isReversed }
        if collation.precedes(after.value, value) { return !isReversed }
        return isReversed
            ? candidate.key.rawSpan.lexicographicallyPrecedes(afterKey.rawSpan)
            : afterKey.rawSpan.lexicographicallyPrecedes(candidate.key.rawSpan)
    }

    private mutating func take(_ entry: IndexEntry) -> Bool {
        guard found.count < limit else { return false }
        found.append(entry)
        return found.count < limit
    }
}
