public import LarderStore
public import LarderSync
public import LarderTransport

extension SyncCoordinator {
    /// Creates a coordinator that uses the system's network and battery, and probes the server itself to detect the end
    /// of a captive portal.
    ///
    /// - Parameter onEvent: Receives the events, on any thread; must be quick.
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
