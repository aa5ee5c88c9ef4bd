internal import LarderFormat

/// What local writes do to the entries of an index: rows they hide, and rows they make.
struct OverlaidEntries {
    private let isReversed: Bool
    private var hidden: Set<[UInt8]> = []
    private var entries: [IndexCandidate] = []
    private var position = 0

    init(isReversed: Bool) { self.isReversed = isReversed }

    /// Hides what the server has at an address: type and key as they are encoded.
    mutating func hide(_ address: RawSpan) { hidden.insert([UInt8](copying: address)) }

    /// Adds a row that a local write makes.
    mutating func add(_ candidate: IndexCandidate) { entries.append(candidate) }

    /// Puts the added rows in the order in which they are taken.
    mutating func sort() {
        entries.sort { left, right in
            let (first, second) = isReversed ? (right, left) : (left, right)
            return first.key.rawSpan.lexicographicallyPrecedes(second.key.rawSpan)
        }
    }

    /// Whether a server's row is not shown.
    func hides(_ candidate: IndexCandidate) -> Bool {
        !hidden.isEmpty && hidden.contains(Self.address(candidate.type, candidate.name))
    }

    /// The next added row.
    mutating func next() -> IndexCandidate? {
        guard position < entries.count else { return nil }
        position += 1
        return entries[position - 1]
    }

    /// The next added row, if it comes before the entry at `key`.
    mutating func next(before key: [UInt8]) -> IndexCandidate? {
        guard position < entries.count else { return nil }
        let (first, second) = isReversed ? (key, entries[position].key) : (entries[position].key, key)
        return first.rawSpan.lexicographicallyPrecedes(second.rawSpan) ? next() : nil
    }

    private static func address(_ type: String, _ key: String) -> [UInt8] {
        var writer = TupleWriter()
        writer.append(text: type)
        writer.append(recordKey: key)
        return writer.bytes
    }
}
