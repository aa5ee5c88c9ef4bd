public import LarderFormat
public import LarderStore

/// What happens in a run, as it happens.
public enum SyncEvent: Hashable, Sendable {
    /// A run began.
    case began(filter: String, kind: SyncReport.Kind)
    /// The server rejected the token; a bootstrap follows, and the old rows stay readable.
    case tokenRejected(filter: String)
    /// A page arrived. Pages count from 1.
    case page(number: Int, mutations: Int)
    /// A full copy is arriving. Bytes as they came over the wire; `totalBytes` where the server said how many.
    case fullCopy(ResourceKey, rows: Int, bytes: Int, totalBytes: Int?)
    /// A full copy was swapped in; `took` is the time of that commit, the wait for the writer included.
    case swapped(ResourceKey, rows: Int, bytes: Int, took: Duration)
    /// A full copy was older than it may be, or not there yet, and is fetched again.
    case lagging(ResourceKey)
    /// A snapshot could not be had; the run goes on without the resource, and tries again later.
    case resourceFailed(ResourceFailure)
    /// A resource is not public any more and was hidden.
    case hidden(ResourceKey)
    /// A resource no filter holds any more lost its rows; it keeps its floor.
    case swept(ResourceKey)
    /// A change of a type this version does not know was passed over.
    case unknownMutation(type: String, ResourceKey)
    /// A full copy was passed over: its rows do not name their type, and neither does the key mapping for their group.
    case unknownGroup(ResourceKey)
    /// A change of a resource whose rows are not here was noted and not stored.
    case notStored(ResourceKey)
    /// A resource's rows have another shape than before, as the server counts shapes.
    case schemaChanged(ResourceKey, from: Int64, to: Int64)
    /// The run is complete and its token stored.
    case finished(SyncReport)
    /// A run failed; the next one is meant to begin after `retryIn`, if conditions allow. Of the coordinator only.
    case failed(filter: String, reason: String, retryIn: Duration)
    /// Token after token was rejected: runs by themselves are `wait` apart from now on. Of the coordinator only.
    case slowed(filter: String, rejections: Int, wait: Duration)
    /// A filter was not synced for longer than the policy has it. Of the coordinator only.
    case overdue(filter: String)
    /// Something answers in the server's place; runs wait until that is over. Of the coordinator only.
    case intercepted
}

/// What a complete run did.
public struct SyncReport: Hashable, Sendable {
    /// How a run begins.
    public enum Kind: String, Hashable, Sendable {
        /// With the list of all resources.
        case bootstrap
        /// With the changes since the last token.
        case incremental
    }

    /// The canonical text of the filter.
    public let filter: String
    /// How it began; a rejected token makes it a bootstrap.
    public internal(set) var kind: Kind
    /// Whether the server rejected the token it began with, so that it ended as a bootstrap.
    public internal(set) var wasRejected = false
    /// Pages fetched.
    public internal(set) var pages = 0
    /// Changes received.
    public internal(set) var mutations = 0
    /// Row changes stored.
    public internal(set) var rowsChanged = 0
    /// Full copies swapped in.
    public internal(set) var fullCopies = 0
    /// Rows in them.
    public internal(set) var rowsCopied = 0
    /// Bytes of their bodies.
    public internal(set) var bytesCopied = 0
    /// Resources hidden because the server withdrew them, or no filter holds them.
    public internal(set) var hidden = 0
    /// Changes of types this version does not know.
    public internal(set) var unknownMutations = 0
    /// The bound of the run.
    public internal(set) var untilSequence: Int64 = 0

    /// A run that has done nothing yet.
    package init(filter: String, kind: Kind) {
        self.filter = filter
        self.kind = kind
    }
}
