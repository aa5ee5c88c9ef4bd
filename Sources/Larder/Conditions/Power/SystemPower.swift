public import LarderTransport

/// The power source of the system that the program runs on.
public enum SystemPower {
    /// Notifications of the device on Apple's systems, the power supplies on Linux; elsewhere a supply always normal.
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
