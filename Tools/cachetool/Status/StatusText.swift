import LarderStore

/// The status of a filter for display: its readiness and the work under way for it.
struct DisplayedFilter {
    let readiness: FilterReadiness
    /// The current work of this process for the filter; nil where it only observes.
    var activity: String?
}

/// Formats a filter's status as text.
struct StatusText {
    private let status: DisplayedFilter
    private let redactor: Redactor

    private var filter: FilterReadiness { status.readiness }

    init(_ status: DisplayedFilter, _ redactor: Redactor) {
        self.status = status
        self.redactor = redactor
    }

    /// Returns the status for a display.
    func entry(now: Int64) -> LiveDisplay.Entry { LiveDisplay.Entry(key: name, line: line, live: lines(now: now)) }

    /// Returns the entries of every filter, damaged ones included.
    static func entries(_ view: borrowing ReadView, now: Int64, _ redactor: Redactor) throws -> [LiveDisplay.Entry] {
        let (filters, damaged) = try view.readableFilterStates()
        return filters.map { StatusText(DisplayedFilter(readiness: $0.readiness), redactor).entry(now: now) }
            + damaged.map { filter in
                let name = filter.name(redactor)
                return LiveDisplay.Entry(
                    key: filter.text.map { redactor.text($0) } ?? name,
                    line: "\(name): a record is damaged; verify prints where")
            }
    }

    /// The name of the filter.
    var name: String { redactor.text(filter.filter) }

    /// The number of complete resources of all.
    var share: String { "\(filter.members.count { $0.isComplete }) of \(filter.members.count)" }

    /// Returns the readiness for reads without the server.
    func readiness(now: Int64) -> String {
        (filter.isComplete ? "complete" : "incomplete") + (filter.isOverdue(now: now) ? ", overdue" : "")
    }

    /// A line that is stable while the store is unchanged: all its times are points in time.
    var line: String {
        var parts = ["\(filter.isComplete ? "complete" : "incomplete"), \(share) resources"]
        parts.append(
            filter.syncedAt.map { "as of \(filter.asOfSequence ?? 0), synced \(timeText($0))" } ?? "never synced")
        if let activity { parts.append(activity) }
        if let lastProblem { parts.append(lastProblem) }
        if let next = filter.nextRunAt { parts.append("next run \(timeText(next))") }
        return "\(name): " + parts.joined(separator: "; ")
    }

    /// Returns one or two lines for a point in time: the content, and the problem or the work under way, if any.
    func lines(now: Int64) -> [String] {
        let age = filter.age(now: now).map { "as of \(filter.asOfSequence ?? 0), synced \(durationText($0)) ago" }
        var lines = ["\(name)  \(readiness(now: now)), \(share) resources; \(age ?? "never synced")"]
        let next = filter.nextRunAt.map { next in
            next > now ? "next run in \(durationText(next - now))" : "next run due"
        }
        let parts = [activity, lastProblem, next].compactMap { $0 }
        if !parts.isEmpty { lines.append("    " + parts.joined(separator: "; ")) }
        return lines
    }

    /// The work under way, and the amount left.
    private var activity: String? {
        var remaining: String?
        if filter.remainingResourceCount > 0 {
            let rows = filter.remainingRowCount.map { ", about \($0) rows" } ?? ""
            remaining = "\(filter.remainingResourceCount) resources to go\(rows)"
        }
        let doing = status.activity ?? (filter.isBootstrapping ? "bootstrap unfinished" : nil)
        let parts = [doing, remaining].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// The last problem.
    private var lastProblem: String? {
        guard filter.failures > 0 || filter.lastError != nil else { return nil }
        let count = filter.failures == 1 ? "1 failed run" : "\(filter.failures) failed runs"
        return filter.lastError.map { "\(count): \(redactor.text($0))" } ?? count
    }
}

extension DamagedFilter {
    /// Returns the words for the filter. Its text is lost where that is in the damaged record.
    func name(_ redactor: Redactor) -> String {
        text.map { "filter \(redactor.text($0))" } ?? number.map { "filter number \($0)" }
            ?? "a filter without its number"
    }
}
