public import LarderStore
public import LarderSync
public import LarderTransport

extension SyncCoordinator {
    /// Creates a coordinator that uses the system's network and battery, and probes the server itself to detect the end
    /// of a captive portal.
    ///
    /// - Parameters:
    ///   - store: The store that receives rows and tokens.
    ///   - transport: Sends the requests.
    ///   - configuration: The server, and the limits of a run.
    ///   - policy: The rules by which filters are synced automatically.
    ///   - credentials: Supplies the header fields that authenticate a request; none by default.
    ///   - onEvent: Receives the events, on any thread; must be quick.
    public static func system(
        store: Store, transport: any Transport, configuration: SyncConfiguration, policy: SyncPolicy = SyncPolicy(),
        credentials: any Credentials = FixedCredentials(),
        onEvent: @escaping @Sendable (SyncEvent) -> Void = { _ in }
    ) -> SyncCoordinator {
        SyncCoordinator(
            store: store, transport: transport, configuration: configuration, policy: policy,
            credentials: credentials, connectivity: SystemConnectivity.source(), power: SystemPower.source(),
            probe: HTTPReachabilityProbe(
                transport: transport, base: configuration.base, path: "\(ServerPath.prefix)resources/sync"),
            onEvent: onEvent)
    }
}
