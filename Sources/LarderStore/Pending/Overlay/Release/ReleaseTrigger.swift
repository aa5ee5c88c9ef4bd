package import LarderFormat

/// The end of a run, as far as it decides on local writes that the server has accepted.
package struct RunEnd: Hashable, Sendable {
    /// The number of its filter.
    let filter: Int64
    /// The position up to which the run requested changes.
    let bound: ServerPosition
    /// The journal sequence that was next when it began.
    let journalAtBegin: Int64

    /// The end of a run of the filter with this number.
    package init(filter: Int64, bound: ServerPosition, journalAtBegin: Int64) {
        self.filter = filter
        self.bound = bound
        self.journalAtBegin = journalAtBegin
    }
}

/// The reason for a check of confirmed overlays.
package enum ReleaseTrigger: Hashable, Sendable {
    /// A write was confirmed, the applied sequence or the state of a resource has changed, or the store was opened.
    case change
    /// The store was opened while another process had it open, which may be in a pass over a list.
    case openWithOtherProcesses
    /// The host has removed the last filter that had the resource as a member.
    case removal
    /// A run has ended.
    case run(RunEnd)
    /// A pass over a list has ended. The value is the journal sequence that was next when it began, or 0 when it did
    /// not read all of the list.
    case pass(journalAtBegin: Int64)

    /// The number of passes that end with it and still count as under way.
    var endedPasses: Int {
        if case .pass = self { 1 } else { 0 }
    }

    /// The end of a run of any filter; nil for another occasion.
    var run: RunEnd? {
        if case .run(let end) = self { end } else { nil }
    }

    /// Returns the end of a run of one of these filters; nil for another occasion.
    func run(ofAny filters: [Int64]) -> RunEnd? {
        run.flatMap { end in filters.contains(end.filter) ? end : nil }
    }
}
