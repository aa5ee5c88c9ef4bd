internal import LarderFormat
public import LarderStore
public import LarderTransport

/// A client that keeps the resources of filters in sync with a Content Sync server.
///
/// A run goes from token to token. Readers never wait for it and never see a resource in part. A run that fails, or
/// ends with the process, stores no new token; the next one repeats what was applied without harm.
///
/// ```swift
/// let sync = ContentSync(store: store, transport: transport, configuration: SyncConfiguration(base: base))
/// let report = try await sync.sync(ResourceFilter("translations:19,20"))  // everything; later only changes
/// print(report.kind, report.snapshotRows, report.rowsChanged)
/// ```
public final class ContentSync: Sendable {
    let store: Store
    let transport: any Transport
    let credentials: any Credentials
    let configuration: SyncConfiguration
    private let activeRuns = ActiveRuns()
    let claims = KeyedSemaphore<ResourceKey>()
    let report: @Sendable (SyncEvent) -> Void
    private let maximumRetryAfter: Duration

    /// A client of one server.
    ///
    /// - Parameters:
    ///   - store: the store that receives rows and tokens.
    ///   - transport: sends the requests.
    ///   - configuration: the server, and the limits of a run.
    ///   - credentials: supplies the header fields that authenticate a request; none by default.
    ///   - onEvent: called with the events of every run, on any thread; must be quick.
    public convenience init(
        store: Store, transport: any Transport, configuration: SyncConfiguration,
        credentials: any Credentials = FixedCredentials(), onEvent: @escaping @Sendable (SyncEvent) -> Void = { _ in }
    ) {
        self.init(
            store: store, transport: transport, configuration: configuration, credentials: credentials,
            maximumRetryAfter: .milliseconds(ServerWait.longest), onEvent: onEvent)
    }

    /// - Parameter maximumRetryAfter: the longest wait that the server may request.
    init(
        store: Store, transport: any Transport, configuration: SyncConfiguration, credentials: any Credentials,
        maximumRetryAfter: Duration, onEvent: @escaping @Sendable (SyncEvent) -> Void
    ) {
        self.maximumRetryAfter = maximumRetryAfter
        self.store = store
        self.transport = transport
        self.credentials = credentials
        self.configuration = configuration
        report = onEvent
    }

    /// Syncs one filter: with a bootstrap when it has no token, otherwise with the changes since the token.
    ///
    /// A filter has one run at a time: a call during a run joins it. Cancelling one of several callers ends that
    /// caller's wait; cancelling the last one cancels the run.
    ///
    /// A resource whose snapshot cannot be fetched does not hold back the others. The run goes on without it, throws
    /// ``SyncError/incomplete(_:)`` at its end, and the next run requests it again.
    ///
    /// - Throws: the reason the run failed; the filter then keeps its token, unless the run became a bootstrap.
    public func sync(_ filter: ResourceFilter) async throws(SyncError) -> SyncReport {
        try await sync(filter, isManual: true, onEvent: report)
    }

    /// Syncs as ``sync(_:)``, manually or not; when this call begins the run, `onEvent` receives its events.
    func sync(
        _ filter: ResourceFilter, isManual: Bool, onEvent: @escaping @Sendable (SyncEvent) -> Void
    ) async throws(SyncError) -> SyncReport {
        try await activeRuns.join(filter.description) { () async throws(SyncError) in
            let run = SyncRun(
                filter: filter, store: self.store, client: self.client(),
                claims: self.claims, configuration: self.configuration, isManual: isManual, onEvent: onEvent)
            return try await run.execute()
        }
    }

    /// Returns a client for one run, or for one snapshot.
    func client() -> ServerClient { client(configuration) }

    /// Returns a client for the connection over which the server reports changes.
    func eventsClient() -> ServerClient {
        var configuration = configuration
        // The server writes a line every 15 s.
        configuration.timeouts.idle = max(configuration.timeouts.idle, .seconds(60))
        return client(configuration)
    }

    private func client(_ configuration: SyncConfiguration) -> ServerClient {
        ServerClient(
            transport: transport, credentials: credentials, configuration: configuration, store: store,
            maximumRetryAfter: maximumRetryAfter)
    }
}
