public import LarderStore
public import LarderSync
public import LarderTransport

extension SyncCoordinator {
    /// A coordinator that goes by the system's network and battery, and asks the server itself for a way past a captive
    /// portal.
    ///
    /// - Parameter onEvent: told what happens, on whatever thread it happens; must be quick.
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
