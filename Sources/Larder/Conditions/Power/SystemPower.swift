public import LarderTransport

/// The power source of the system that the program runs on.
///
/// ```swift
/// let coordinator = SyncCoordinator(
///     store: store, transport: transport, configuration: configuration,
///     connectivity: SystemConnectivity.source(), power: SystemPower.source())
/// ```
public enum SystemPower {
    /// Returns a source that uses the device's notifications on Apple's systems, the power supplies on Linux; elsewhere
    /// a constant normal supply.
    public static func source() -> any PowerSource {
        #if canImport(Darwin)
        DevicePower()
        #elseif os(Linux)
        PowerSupplyPower()
        #else
        SteadyPower(.normal)
        #endif
    }
}
