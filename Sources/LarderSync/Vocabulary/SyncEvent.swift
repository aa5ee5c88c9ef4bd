public import LarderFormat
public import LarderStore

/// An event of a run, reported as it happens.
///
/// ```swift
/// let sync = ContentSync(store: store, transport: transport, configuration: configuration) { event in
///     switch event {
///     case .swapped(let resource, let rows, _, _): print(resource, "is readable with", rows, "rows")
///     case .resourceFailed(let failure): print(failure.resource, failure.reason)
///     default: print(event)
///     }
/// }
/// print(try await sync.sync(filter))
/// ```
public enum SyncEvent: Hashable, Sendable {
    /// A run began.
    case began(filter: String, kind: SyncReport.Kind)
    /// The server rejected the token; a bootstrap follows, and the old rows stay readable.
    case tokenRejected(filter: String)
    /// A page arrived. Pages count from 1.
    case page(number: Int, mutations: Int)
    /// A snapshot is arriving. `bytes` counts the bytes on the wire; `totalBytes` is their number where the server
    /// stated it.
    case snapshot(ResourceKey, rows: Int, bytes: Int, totalBytes: Int?)
    /// A snapshot was swapped in; `took` is the time of that commit, the wait for the writer included.
    case swapped(ResourceKey, rows: Int, bytes: Int, took: Duration)
    /// A snapshot was older than required, or not there yet, and is fetched again.
    case lagging(ResourceKey)
    /// A snapshot could not be fetched. The run goes on without the resource if it can, and a later run tries again.
    case resourceFailed(ResourceFailure)
    /// A resource is not public any more and was hidden.
    case hidden(ResourceKey)
    /// The rows of a resource that no filter holds any more were removed; it keeps its applied sequence.
    case swept(ResourceKey)
    /// A change of a type that this version does not know was skipped.
    case unknownMutation(type: String, ResourceKey)
    /// A snapshot was skipped: its rows do not name their type, and the key mapping has none for their group.
    case unknownGroup(ResourceKey)
    /// A row change was not stored, because the rows of its resource are not in the store.
    case notStored(ResourceKey)
    /// The server's schema version of a resource's rows has changed.
    case schemaChanged(ResourceKey, from: Int64, to: Int64)
    /// The run is complete and its token stored.
    case finished(SyncReport)
    /// A run failed; the next one begins after `retryIn`, if conditions allow. Only the coordinator reports it.
    case failed(filter: String, reason: String, retryIn: Duration)
    /// Several tokens in a row were rejected: automatic runs are `wait` apart from now on. Only the coordinator reports
    /// it.
    case slowed(filter: String, rejections: Int, wait: Duration)
    /// A filter was not synced for longer than ``SyncPolicy/overdueAfter``. Only the coordinator reports it.
    case overdue(filter: String)
    /// Something other than the server responds; runs wait until that is over. Only the coordinator reports it.
    case intercepted
}

/// The results of a complete run.
///
/// ```swift
/// let report = try await coordinator.sync(filter)
/// print(report.kind, report.pages, report.mutations, report.snapshots)
/// if report.wasRejected { print("the server rejected the token, so everything was fetched again") }
/// ```
public struct SyncReport: Hashable, Sendable {
    /// The way a run begins.
    public enum Kind: String, Hashable, Sendable {
        /// With the list of all resources.
        case bootstrap
        /// With the changes since the last token.
        case incremental
    }

    /// The canonical text of the filter.
    public let filter: String
    /// The way the run began; a rejected token makes it a bootstrap.
    public internal(set) var kind: Kind
    /// Whether the server rejected the run's token, or was restored from a backup, so that the run ended as a
    /// bootstrap.
    public internal(set) var wasRejected = false
    /// Pages fetched.
    public internal(set) var pages = 0
    /// Changes received.
    public internal(set) var mutations = 0
    /// Row changes stored.
    public internal(set) var rowsChanged = 0
    /// Snapshots swapped in.
    public internal(set) var snapshots = 0
    /// Rows in these snapshots.
    public internal(set) var snapshotRows = 0
    /// Bytes of the bodies of these snapshots.
    public internal(set) var snapshotBytes = 0
    /// Resources withdrawn, because the server has hidden them or no filter holds them.
    public internal(set) var hidden = 0
    /// Changes of types this version does not know.
    public internal(set) var unknownMutations = 0
    /// The bound of the run.
    public internal(set) var untilSequence: Int64 = 0

    /// The rows that the run wrote or deleted, those of snapshots included.
    var rowsWritten: Int { rowsChanged + snapshotRows }

    /// The report of a run that has done nothing yet.
    package init(filter: String, kind: Kind) {
        self.filter = filter
        self.kind = kind
    }
}
