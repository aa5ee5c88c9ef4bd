public import LarderOutbox
public import LarderStore
public import LarderTransport

extension Outbox {
    /// An outbox that goes by the system's network.
    ///
    /// - Parameters:
    ///   - account: who is signed in; nil where there are no accounts.
    ///   - onEvent: told what happens, on whatever thread it happens; must be quick.
    public static func system(
        store: Store, transport: any Transport, configuration: OutboxConfiguration,
        policy: OutboxPolicy = OutboxPolicy(), credentials: any Credentials = FixedCredentials(),
        account: String? = nil, onEvent: @escaping @Sendable (OutboxEvent) -> Void = { _ in }
    ) -> Outbox {
        Outbox(
            store: store, transport: transport, configuration: configuration, policy: policy,
            credentials: credentials, account: account, connectivity: SystemConnectivity.source(), onEvent: onEvent)
    }
}
