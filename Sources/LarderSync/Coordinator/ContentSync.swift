internal import LarderFormat
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
    let claims = TurnQueue<ResourceKey>()
    let report: @Sendable (SyncEvent) -> Void
    private let maximumRetryAfter: Duration

    /// - Parameter onEvent: told what happens in every run, on whatever thread it happens; must be quick.
    public convenience init(
        store: Store, transport: any Transport, configuration: SyncConfiguration,
        credentials: any Credentials = FixedCredentials(), onEvent: @escaping @Sendable (SyncEvent) -> Void = { _ in }
    ) {
        self.init(
            store: store, transport: transport, configuration: configuration, credentials: credentials,
            maximumRetryAfter: .milliseconds(ServerWait.longest), onEvent: onEvent)
    }

    /// - Parameter maximumRetryAfter: the longest time for which a server that wants to be left alone is believed.
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

    /// Runs one filter: a bootstrap when it has no token, else what has changed since.
    ///
    /// A filter is run once at a time: a call while it is running joins that run. Cancelling one of several callers
    /// ends that caller's wait; cancelling the last one cancels the run.
    ///
    /// A resource whose snapshot cannot be had keeps no other from coming: the run goes on without it, throws
    /// ``SyncError/incomplete(_:)`` at its end, and the next one asks for it again.
    ///
    /// - Throws: the reason the run failed; the filter then has the token it had.
    public func sync(_ filter: ResourceFilter) async throws(SyncError) -> SyncReport {
        try await sync(filter, isByHand: true, onEvent: report)
    }

    /// As ``sync(_:)``, by hand or not; when this call begins the run, `onEvent` is told what happens in it.
    func sync(
        _ filter: ResourceFilter, isByHand: Bool, onEvent: @escaping @Sendable (SyncEvent) -> Void
    ) async throws(SyncError) -> SyncReport {
        try await flights.join(filter.description) { () async throws(SyncError) in
            let run = SyncRun(
                filter: filter, store: self.store, client: self.client(),
                claims: self.claims, configuration: self.configuration, isByHand: isByHand, onEvent: onEvent)
            return try await run.execute()
        }
    }

    /// Asks the server for one run, or one full copy.
    func client() -> ServerClient {
        ServerClient(
            transport: transport, credentials: credentials, configuration: configuration, store: store,
            maximumRetryAfter: maximumRetryAfter)
    }
}
