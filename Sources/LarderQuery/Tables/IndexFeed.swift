internal import LarderFormat
internal import LarderStore

/// Rows in the order of an index, range by range and resource by resource.
struct IndexFeed: RowFeed {
    private let plan: TablePlan
    private let index: SecondaryIndex
    private let resources: [ResourceKey]
    private let segments: [IndexSegment]
    private var resource = 0
    private var segment = 0
    /// The last entry read of the segment; nil before the first.
    private var last: IndexEntry?
    /// The text to continue from: no text before it can spell the number that the segment selects.
    private var start: IndexRange.Bound?

    /// Creates a feed.
    ///
    /// - Parameter segments: in the order of the index, whichever way it is read.
    init(_ plan: TablePlan, _ index: SecondaryIndex, resources: [ResourceKey], segments: [IndexSegment]) {
        self.plan = plan
        self.index = index
        self.resources = segments.isEmpty ? [] : resources
        self.segments = plan.isReversed ? segments.reversed() : segments
    }

    mutating func next(_ limit: Int, _ run: QueryRun, into batch: inout RowBatch) throws {
        batch.removeAll()
        while resource < resources.count, batch.rows.isEmpty { try read(limit, run, into: &batch) }
    }

    /// Reads one batch of one segment; continues with the next segment at its end.
    private mutating func read(_ limit: Int, _ run: QueryRun, into batch: inout RowBatch) throws {
        batch.resource = resources[resource]
        let current = segments[segment]
        let digits = plan.isReversed ? nil : current.digits
        let limit = digits == nil ? limit : min(limit, NumberDigits.batch)
        var range = current.range
        range.lower = start ?? range.lower
        let entries = try run.read(batch.resource) { view, place in
            try view.indexEntries(
                of: index, in: place, range: range, reversed: plan.isReversed, limit: limit, after: last)
        }
        run.countEntries(entries.count)
        last = entries.last
        if entries.count < limit { advance() } else { jump(by: digits, before: range.upper) }
        for entry in entries where current.matches(entry.value) {
            batch.append(FetchedRow(entry.key, entry: entry.value))
        }
    }

    /// Skips the texts that begin like the last one, where none of them can match.
    private mutating func jump(by digits: NumberDigits?, before end: IndexRange.Bound?) {
        guard let digits, case .text(let text) = last?.value, let next = digits.successor(of: text) else { return }
        last = nil
        start = IndexRange.Bound(.text(next), isInclusive: true)
        if let end, index.definition.collation.precedes(end.value, .text(next)) { advance() }
    }

    private mutating func advance() {
        last = nil
        start = nil
        segment += 1
        guard segment == segments.count else { return }
        segment = 0
        resource += 1
    }
}
