public import LarderOutbox
public import LarderStore
public import LarderTransport

extension Outbox {
    /// Creates an outbox that uses the system's network.
    ///
    /// - Parameters:
    ///   - store: The store that keeps the writes and their effects.
    ///   - transport: Sends the requests.
    ///   - configuration: The server, and the settings for writing to it.
    ///   - policy: The rules of delivery.
    ///   - credentials: Supplies the header fields that authenticate a request; none by default.
    ///   - account: The signed-in account; nil where there are no accounts.
    ///   - onEvent: Receives the events, on any thread; must be quick.
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
