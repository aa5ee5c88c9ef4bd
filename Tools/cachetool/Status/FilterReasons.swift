import LarderFormat
import LarderStore

/// Explains for each filter why it makes no progress, and what makes it continue.
struct FilterReasons {
    private let timeline: Int64
    private let serverWait: Int64?
    private let now: Int64
    private let redactor: Redactor

    init(_ view: borrowing ReadView, now: Int64, _ redactor: Redactor) throws {
        timeline = try view.appliedPosition().timeline
        serverWait = try view.serverWait(for: .sync, now: now)
        self.now = now
        self.redactor = redactor
    }

    /// Returns the explanation of a filter, in one sentence.
    func sentence(_ filter: FilterState, _ readiness: FilterReadiness) -> String {
        if let serverWait {
            return "The server requested a wait: the next run begins at \(timeText(serverWait))."
        }
        if filter.failures > 0 {
            let error = filter.lastError.map { " (\(redactor.text($0)))" } ?? ""
            return "The last run failed\(error): tried again \(when(filter.nextRunAt))."
        }
        if filter.isBootstrapping, let until = filter.incompleteUntil {
            return "All resources are stored except \(missing(readiness)): fetched again \(when(until))."
        }
        if filter.isRejected {
            return
                "The server does not know the token any more: all is fetched anew \(when(nil)), and readable meanwhile."
        }
        if filter.isBootstrapping {
            return
                "The first fetch is not finished, \(count(readiness.remainingResourceCount)) to go: continues \(when(nil))."
        }
        guard filter.token != nil, let synced = readiness.syncedAt else { return "Never synced: begins \(when(nil))." }
        if filter.timeline != timeline {
            return "The server counts anew, as after a restored backup: all is fetched anew \(when(nil))."
        }
        let evicted = readiness.members.count { $0.state == .evicted }
        if evicted > 0 {
            return
                "Space was needed, and \(count(evicted)) dropped: fetched again as soon as an app opens or pins it, online."
        }
        if !readiness.isComplete {
            return "All resources are stored except \(missing(readiness)): fetched again \(when(nil))."
        }
        return "Up to date as of \(timeText(synced)): requests changes \(when(nil))."
    }

    /// Returns a time in the future, or the condition of the next run.
    private func when(_ time: Int64?) -> String {
        guard let time, time > now else { return "as soon as an app syncs it online" }
        return "at \(timeText(time))"
    }

    /// Returns the number of missing resources, with the first failed one and its reason.
    private func missing(_ readiness: FilterReadiness) -> String {
        let missing = readiness.members.filter { !$0.isComplete && $0.state != .hidden }
        let first = readiness.failedMembers.first.map {
            " (\(redactor.text($0.resource)): \(redactor.text($0.reason)))"
        }
        return count(missing.count) + (first ?? "")
    }

    private func count(_ resources: Int) -> String { resources == 1 ? "1 resource" : "\(resources) resources" }
}
