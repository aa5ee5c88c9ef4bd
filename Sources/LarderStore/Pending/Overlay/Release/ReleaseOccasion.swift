package import LarderFormat

/// What the end of a run says of local writes that the server has accepted.
package struct RunEnd: Hashable, Sendable {
    /// The number of its filter.
    let filter: Int64
    /// Up to where it asked for changes.
    let bound: ServerPosition
    /// The journal sequence that was next when it began.
    let journalAtBegin: Int64

    /// The end of a run of the filter of a number.
    package init(filter: Int64, bound: ServerPosition, journalAtBegin: Int64) {
        self.filter = filter
        self.bound = bound
        self.journalAtBegin = journalAtBegin
    }
}

/// Why confirmed overlays are looked at.
package enum ReleaseOccasion: Hashable, Sendable {
    /// A write was confirmed, a floor or the state of a resource has changed, or the store was opened.
    case change
    /// The store was opened while another process had it open, which may be walking lists.
    case openBesideOthers
    /// The host has removed the last filter that had the resource as member.
    case removal
    /// A run has ended.
    case run(RunEnd)
    /// A pass has gone over all of a list; the journal sequence that was next when it began.
    case pass(journalAtBegin: Int64)

    /// How many passes have ended with it that are noted as under way.
    var endedPasses: Int {
        if case .pass = self { 1 } else { 0 }
    }

    /// The end of a run, whatever its filter.
    var run: RunEnd? {
        if case .run(let end) = self { end } else { nil }
    }

    /// The end of a run of one of these filters.
    func run(ofAny filters: [Int64]) -> RunEnd? {
        run.flatMap { end in filters.contains(end.filter) ? end : nil }
    }
}
