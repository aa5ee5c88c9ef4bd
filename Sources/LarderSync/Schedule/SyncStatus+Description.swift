internal import LarderFormat
internal import LarderStore
internal import LarderTransport

extension SyncStatus: CustomStringConvertible {
    /// A line for the conditions and one for each filter, for the user.
    public var description: String {
        var conditions = isRunning ? "network \(network.level.rawValue), power \(power.rawValue)" : "not running"
        if isForcedOffline { conditions = "forced offline" }
        return ([conditions] + filters.map(\.description)).joined(separator: "\n")
    }
}

extension FilterStatus: CustomStringConvertible {
    /// The readiness, the activity and the last error of the filter, in one line.
    public var description: String {
        var parts: [String] = []
        if let readiness {
            let complete = readiness.members.count { $0.isComplete }
            let share = "\(complete) of \(readiness.members.count) resources"
            parts.append(readiness.isComplete ? "ready offline, \(share)" : "not ready yet, \(share)")
            if let sequence = readiness.asOfSequence { parts.append("as of \(sequence)") }
            let failed = readiness.failedMembers
            if let first = failed.first {
                let more = failed.count > 1 ? " and \(failed.count - 1) more" : ""
                parts.append("without \(first.resource)\(more): \(first.reason)")
            }
        } else {
            parts.append("nothing stored yet")
        }
        if isOverdue { parts.append("overdue") }
        if let activityText = activity.words { parts.append(activityText) }
        if let lastError { parts.append("last error: \(lastError)") }
        return "\(filter): " + parts.joined(separator: "; ")
    }
}

extension FilterStatus.Activity: CustomStringConvertible {
    /// The activity in words for the user, such as `waits for the network`.
    public var description: String { words ?? "nothing is due" }

    fileprivate var words: String? {
        switch self {
        case .idle: nil
        case .running(let progress): "a run is at page \(progress.pages), with \(progress.rows) rows of snapshots"
        case .waiting(for: .network): "waits for the network"
        case .waiting(for: .conditions): "waits for a better network, or power"
        case .waiting(for: .turn): "waits for its turn"
        case .waiting(for: .retry): "waits to try again"
        case .waiting(for: .slowMode): "slowed down, because the server keeps rejecting tokens"
        case .waiting(for: .coordinator): "waits for the coordinator to run"
        }
    }
}
