internal import LarderFormat
internal import LarderStore

extension SyncEvent: CustomStringConvertible {
    /// A description of the event, for the user.
    public var description: String {
        switch self {
        case .began(let filter, .bootstrap): "Fetching everything that “\(filter)” names."
        case .began(let filter, .incremental): "Fetching the changes of “\(filter)”."
        case .tokenRejected(let filter):
            "The server no longer accepts the token of “\(filter)”. All of it is fetched again; stored rows stay readable."
        case .page(let number, let mutations): "Page \(number) has \(mutations.of("change"))."
        case .snapshot(let resource, let rows, let bytes, let total):
            "\(resource) is arriving: \(rows.of("row")), \(bytes)\(total.map { " of \($0)" } ?? "") bytes."
        case .swapped(let resource, let rows, _, _): "\(resource) was replaced by a snapshot: \(rows.of("row"))."
        case .lagging(let resource):
            "The snapshot of \(resource) is older than what is known, or not there yet; it is fetched again."
        case .resourceFailed(let failure):
            "The snapshot of \(failure.resource) could not be fetched (attempt \(failure.attempts)): \(failure.reason)"
        case .hidden(let resource): "\(resource) is not public any more and was hidden."
        case .swept(let resource): "\(resource) is in no filter any more; its rows were removed."
        case .unknownMutation(let type, let resource):
            "A change of \(resource) was skipped: this version does not know the type “\(type)”."
        case .unknownGroup(let resource): "\(resource) was skipped: the configuration names no type for its rows."
        case .notStored(let resource): "A change of \(resource) was recorded; its rows are not in the store."
        case .schemaChanged(let resource, let old, let new):
            "The rows of \(resource) have another shape than before: version \(new) in place of \(old)."
        case .finished(let report): report.description
        case .failed(let filter, let reason, let wait):
            "Syncing “\(filter)” failed. \(reason) Next try in \(wait.inWords)."
        case .slowed(let filter, let rejections, let wait):
            "The server has rejected “\(filter)” \(rejections) times in a row. It is synced only every \(wait.inWords) now."
        case .overdue(let filter): "“\(filter)” has not been synced for too long."
        case .intercepted: "Something other than the server responds: the network may want a sign-in."
        }
    }
}

extension SyncReport: CustomStringConvertible {
    /// A description of the results, for the user.
    public var description: String {
        if kind == .incremental, mutations == 0 { return "“\(filter)” is up to date; nothing had changed." }
        var parts: [String] = []
        if snapshots > 0 {
            parts.append("\(snapshots.of("resource")) replaced by snapshots with \(snapshotRows.of("row"))")
        }
        if rowsChanged > 0 { parts.append("\(rowsChanged.of("row")) changed") }
        if hidden > 0 { parts.append("\(hidden.of("resource")) hidden") }
        if unknownMutations > 0 { parts.append("\(unknownMutations.of("change")) skipped") }
        let what = parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")
        return "“\(filter)” is up to date\(what)."
    }
}

extension Int {
    /// Returns this number with a noun, in the plural unless it is 1.
    fileprivate func of(_ noun: String) -> String { "\(self == 0 ? "no" : "\(self)") \(noun)\(self == 1 ? "" : "s")" }
}

extension Duration {
    /// The duration in rounded seconds, minutes, hours or days.
    var inWords: String {
        let seconds = max(components.seconds, 0)
        switch seconds {
        case 0: return "less than a second"
        case 1..<120: return "\(seconds) s"
        case 120..<7200: return "\(seconds / 60) min"
        case 7200..<172_800: return "\(seconds / 3600) h"
        default: return "\(seconds / 86_400) days"
        }
    }
}
