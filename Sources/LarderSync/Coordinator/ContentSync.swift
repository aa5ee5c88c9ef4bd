public import LarderStore
public import LarderTransport

/// Keeps the resources of filters in step with a server that speaks Content Sync.
///
/// A run goes from token to token. Readers never wait for it and never see half of a resource. A run that fails, or
/// dies with the process, keeps the old token; the next one repeats what was applied without harm.
public final class ContentSync: Sendable {
    let store: Store
    let transport: any Transport
    let credentials: any Credentials
    let configuration: SyncConfiguration
    private let flights = Flights()
    let claims = ResourceClaims()
    let report: @Sendable (SyncEvent) -> Void

    /// - Parameter onEvent: told what happens in every run, on whatever thread it happens; must be quick.
    public init(
        store: Store, transport: any Transport, configuration: SyncConfiguration,
        credentials: any Credentials = FixedCredentials(), onEvent: @escaping @Sendable (SyncEvent) -> Void = { _ in }
    ) {
        self.store = store
        self.transport = transport
        self.credentials = credentials
        self.configuration = configuration
        report = onEvent
    }

    /// Runs one filter: a bootstrap when it has no token, else what has changed since.
    ///
    /// A filter is run once at a time: a call while it is running joins that run. Cancelling one of several callers
    /// ends that caller's wait; cancelling the last one cancels the run.
    ///
    /// - Throws: the reason the run failed; the filter then has the token it had.
    public func sync(_ filter: ResourceFilter) async throws(SyncError) -> SyncReport {
        try await sync(filter, onEvent: report)
    }

    /// As ``sync(_:)``; when this call begins the run, `onEvent` is told what happens in it.
    func sync(
        _ filter: ResourceFilter, onEvent: @escaping @Sendable (SyncEvent) -> Void
    ) async throws(SyncError) -> SyncReport {
        try await flights.join(filter.description) { () async throws(SyncError) in
            let run = SyncRun(
                filter: filter, store: self.store, client: self.client(),
                claims: self.claims, configuration: self.configuration, report: onEvent)
            return try await run.execute()
        }
    }

    /// Asks the server for one run, or one full copy.
    func client() -> ServerClient {
        ServerClient(
            transport: transport, credentials: credentials, configuration: configuration, now: store.host.now)
    }
}
