public import LarderTransport

/// The connectivity source of the system that the program runs on.
///
/// ```swift
/// let network = OfflineSwitch(SystemConnectivity.source())
/// var services = CacheServices.system(transport)
/// services.connectivity = network
/// network.isForcedOffline = true  // the user wants to work offline
/// ```
public enum SystemConnectivity {
    /// Returns a source that uses `NWPathMonitor` on Apple's systems, netlink on Linux; elsewhere a network that is
    /// always online.
    public static func source() -> any ConnectivitySource {
        #if canImport(Network)
        PathConnectivity()
        #elseif os(Linux)
        NetlinkConnectivity()
        #else
        SteadyConnectivity(.online)
        #endif
    }
}
