public import LarderOutbox
public import LarderStore
public import LarderTransport
public import Logging

/// Everything that a cache uses of the world: transport, network, power, clock, random numbers, secrets, logger.
///
/// An app passes ``system(_:secrets:logger:)``; its tests pass the scripted services of LarderTesting, and test the
/// app's model as it is, offline and in virtual time.
///
/// ```swift
/// let cache = try await ContentCache.open(
///     .applicationSupport("words"), content: "https://api.example.org/content", rows: [Verse.self],
///     services: .system(URLSessionTransport()))
/// try await cache.close()
/// ```
public struct CacheServices: Sendable {
    /// Sends requests.
    public var transport: any Transport
    /// Reports the state of the network.
    public var connectivity: any ConnectivitySource
    /// Reports the state of the power.
    public var power: any PowerSource
    /// Clocks, random numbers and the logger.
    public var host: HostServices
    /// Keeps the secret values of a session, such as tokens; nil where there are none.
    public var secrets: (any SecretStore)?

    /// Creates services of these parts.
    public init(
        transport: any Transport, connectivity: any ConnectivitySource, power: any PowerSource, host: HostServices,
        secrets: (any SecretStore)? = nil
    ) {
        self.transport = transport
        self.connectivity = connectivity
        self.power = power
        self.host = host
        self.secrets = secrets
    }

    /// Returns the services of the system that the program runs on, with `transport` for requests.
    public static func system(
        _ transport: any Transport, secrets: (any SecretStore)? = nil, logger: Logger = Logger(label: "larder")
    ) -> CacheServices {
        CacheServices(
            transport: transport, connectivity: SystemConnectivity.source(), power: SystemPower.source(),
            host: .system(logger: logger), secrets: secrets)
    }
}
