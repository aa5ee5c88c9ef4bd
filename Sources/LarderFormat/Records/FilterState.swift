/// A record of `filters`: a filter, its token, the progress of its bootstrap, and the results of its last runs.
///
/// FORMAT.md, "filters". Key: (number). The text is no key because it may be longer than one.
public struct FilterState: NumberedRecord, Hashable, Sendable {
    /// The canonical text of the filter, at most ``Limits/filter`` bytes.
    public package(set) var filter = ""
    /// The server's checkpoint, at most ``Limits/token`` bytes, or nil where there is none.
    public package(set) var token: String?
    /// When the last token was stored, in milliseconds since 1970-01-01 UTC; stays when that token is rejected.
    public package(set) var tokenUpdatedAt: Int64?
    /// The timeline of the token, the sequence and the bootstrap. Where it is not the present timeline, the next run
    /// begins a bootstrap.
    public package(set) var timeline: Int64 = 0
    /// The bound of the last run that finished in the timeline; stays when its token is rejected.
    public package(set) var lastUntilSequence: Int64?
    /// Grows with every bootstrap begun.
    public package(set) var run: Int64 = 0
    /// Whether a bootstrap has begun and not finished.
    public package(set) var isBootstrapping = false
    /// The number of pages that the bootstrap under way has stored.
    public package(set) var pagesDone: Int64 = 0
    /// When the last run began, in milliseconds since 1970-01-01 UTC.
    public package(set) var lastRunAt: Int64?
    /// When the next run begins by itself, in milliseconds since 1970-01-01 UTC.
    public package(set) var nextRunAt: Int64?
    /// The runs that failed in a row, which lengthen the wait for the next. They are counted anew when the network
    /// returns, and when a process starts; ``runs`` has those before.
    public package(set) var failures: Int64 = 0
    /// The reason the last run failed: one line without content, at most ``Limits/errorText`` bytes; nil after a run
    /// has finished.
    public package(set) var lastError: String?
    /// The tokens that were rejected since an incremental run last finished an hour or more after a rejection.
    public package(set) var resyncs: Int64 = 0
    /// When a token was last rejected, in milliseconds since 1970-01-01 UTC.
    public package(set) var resyncedAt: Int64?
    /// The next journal sequence at the begin of the current or last bootstrap; 0 before any.
    package var journalAtBegin: Int64 = 0
    /// When a bootstrap that ended without some resources may begin again by itself, in milliseconds since 1970-01-01
    /// UTC; nil when there is none.
    package var incompleteUntil: Int64?
    /// The latest runs, the oldest first, at most ``Limits/recordedRuns`` elements.
    public package(set) var runs: [RecordedRuns] = []
    /// The resources in the filter. They have records of their own: the list is empty where this record was read by
    /// itself.
    public package(set) var members: [ResourceKey] = []

    /// Whether the server's rejection of a token caused the bootstrap under way.
    public var isRejected: Bool { isBootstrapping && resyncs > 0 }

    package init() {}

    /// The record of a filter that was never synced.
    package init(filter: String) {
        self.filter = filter
    }

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.text(&filter)
        coder.text(&token)
        coder.integer(&tokenUpdatedAt)
        coder.count("timeline", &timeline)
        coder.require(timeline < .max, "timeline", timeline)
        coder.integer(&lastUntilSequence)
        coder.require(token?.isEmpty != true, "token", 0)
        coder.count("run", &run)
        // The next run needs a higher number.
        coder.require(run < .max, "run", run)
        coder.bool(&isBootstrapping)
        coder.count("pagesDone", &pagesDone)
        coder.integer(&lastRunAt)
        coder.integer(&nextRunAt)
        coder.count("failures", &failures)
        coder.text(&lastError)
        coder.count("resyncs", &resyncs)
        coder.integer(&resyncedAt)
        coder.count("journalAtBegin", &journalAtBegin)
        if coder.trailing(&incompleteUntil, isLast: runs.isEmpty) {
            coder.trailing(&runs, of: RecordedRuns(beganAt: 0, endedAt: 0), isInformative: true) { $1.codeFields(&$0) }
        }
    }
}
