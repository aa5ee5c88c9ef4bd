/// A record of `filters`: a filter, its token, the progress of its bootstrap, and the results of its last runs.
///
/// FORMAT.md, "filters". Key: (number). The text is no key because it may be longer than one.
public struct FilterState: NumberedRecord, Hashable, Sendable {
    /// The canonical text of the filter, at most ``Limits/filter`` bytes.
    public package(set) var filter = ""
    /// The server's checkpoint, at most ``Limits/token`` bytes, or nil while there is none.
    public package(set) var token: String?
    /// When the last token was stored, in milliseconds since 1970-01-01 UTC; stays when that token is rejected.
    public package(set) var tokenUpdatedAt: Int64?
    /// The timeline of the token, the sequence and the bootstrap: where it is not the present one, the next run begins a
    /// bootstrap.
    public package(set) var timeline: Int64 = 0
    /// The bound of the last run that finished in the timeline; stays when its token is rejected.
    public package(set) var lastUntilSequence: Int64?
    /// Grows with every bootstrap begun.
    public package(set) var run: Int64 = 0
    /// Whether a bootstrap has begun and not finished.
    public package(set) var isBootstrapping = false
    /// The pages of the bootstrap under way that are in.
    public package(set) var pagesDone: Int64 = 0
    /// When the last run began, in milliseconds since 1970-01-01 UTC.
    public package(set) var attemptedAt: Int64?
    /// When the next run is meant to begin by itself, in milliseconds since 1970-01-01 UTC.
    public package(set) var nextAttemptAt: Int64?
    /// The runs that failed since the last one that finished.
    public package(set) var failures: Int64 = 0
    /// Why the last run failed: one line without content, at most ``Limits/errorText`` bytes; nil once a run has finished.
    public package(set) var lastError: String?
    /// The tokens that were rejected since an incremental run last finished an hour or more after a rejection.
    public package(set) var resyncs: Int64 = 0
    /// When a token was last rejected, in milliseconds since 1970-01-01 UTC.
    public package(set) var resyncedAt: Int64?
    /// The next journal sequence when the bootstrap began that is or was last under way; 0 before any.
    package var journalAtBegin: Int64 = 0
    /// When a bootstrap that came to its end without some resources may begin anew by itself, in milliseconds since
    /// 1970-01-01 UTC; nil when none did.
    package var heldUntil: Int64?
    /// The resources it holds. Records of their own have them: none where the record was read by itself.
    public package(set) var members: [ResourceKey] = []

    /// Whether the bootstrap under way is there because the server rejected a token.
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
        // There has to be a next one.
        coder.require(run < .max, "run", run)
        coder.bool(&isBootstrapping)
        coder.count("pagesDone", &pagesDone)
        coder.integer(&attemptedAt)
        coder.integer(&nextAttemptAt)
        coder.count("failures", &failures)
        coder.text(&lastError)
        coder.count("resyncs", &resyncs)
        coder.integer(&resyncedAt)
        coder.count("journalAtBegin", &journalAtBegin)
        coder.trailing(&heldUntil)
    }
}
