// Proves that the examples in the doc comments of network, power and transport compile.

import HTTPTypes
import Larder
import LarderStore
import LarderSync
import LarderTransport

private struct Observer: Sendable {
    func cancel() {}
}

private struct Modem {
    func observe(_ report: @escaping @Sendable (Bool) -> Void) -> Observer { Observer() }
}

private struct SolarPanel {
    func observe(_ report: @escaping @Sendable (Double) -> Void) -> Observer { Observer() }
}

private func connectivitySourceExample(modem: Modem) {
    // Example of ConnectivitySource
    struct ModemConnectivity: ConnectivitySource {
        let modem: Modem  // the app's own: reports at once, and at every change

        func states() -> AsyncStream<NetworkState> {
            AsyncStream(bufferingPolicy: .bufferingNewest(1)) { states in
                let observer = modem.observe { isUp in states.yield(isUp ? .metered : .offline) }
                states.onTermination = { _ in observer.cancel() }
            }
        }
    }
    // End of example
    _ = ModemConnectivity(modem: modem)
}

private func networkStateExample(services: CacheServices) async {
    // Example of NetworkState
    for await state in services.connectivity.states() {  // now, and after every change
        switch state.level {
        case .online: print("images are loaded")
        case .metered, .constrained: print("images are loaded on request")
        case .offline: print("offline")
        }
    }
    // End of example
}

private func systemConnectivityExample(transport: any Transport) {
    // Example of SystemConnectivity
    let network = OfflineSwitch(SystemConnectivity.source())
    var services = CacheServices.system(transport)
    services.connectivity = network
    network.isForcedOffline = true  // the user wants to work offline
    // End of example
    _ = services
}

private func powerSourceExample(panel: SolarPanel) {
    // Example of PowerSource
    struct SolarPower: PowerSource {
        let panel: SolarPanel  // the app's own: reports the charge, 0 to 1, at once and at every change

        func states() -> AsyncStream<PowerState> {
            AsyncStream(bufferingPolicy: .bufferingNewest(1)) { states in
                let observer = panel.observe { charge in states.yield(PowerReading(battery: charge).state()) }
                states.onTermination = { _ in observer.cancel() }
            }
        }
    }
    // End of example
    _ = SolarPower(panel: panel)
}

private func powerStateExample(services: CacheServices) async {
    // Example of PowerState
    for await power in services.power.states() {  // now, and after every change
        print(power == .critical ? "syncs on request only" : "syncs in the background")
    }
    // End of example
}

private func systemPowerExample(store: Store, transport: any Transport, configuration: SyncConfiguration) {
    // Example of SystemPower
    let coordinator = SyncCoordinator(
        store: store, transport: transport, configuration: configuration,
        connectivity: SystemConnectivity.source(), power: SystemPower.source())
    // End of example
    _ = coordinator
}

#if os(Linux)
private func netlinkConnectivityExample() async {
    // Example of NetlinkConnectivity
    for await state in NetlinkConnectivity().states() {  // now, and after every change
        print(state.isConnected ? "there is a default route" : "offline")
    }
    // End of example
}

private func powerSupplyPowerExample(transport: any Transport) {
    // Example of PowerSupplyPower
    var services = CacheServices.system(transport)
    services.power = PowerSupplyPower(every: .seconds(300), saverBelow: 0.3)  // saves power below 30 %
    // End of example
    _ = services
}
#endif

private func transportExample(base: any Transport) {
    // Example of Transport
    struct NamedTransport: Transport {
        let base: any Transport

        func send(
            _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
        ) async throws(TransportError) -> TransportResponse {
            var request = request
            request.headerFields[.userAgent] = "Words/1.2"
            return try await base.send(request, body: body, timeouts: timeouts)
        }
    }
    // End of example
    _ = NamedTransport(base: base)
}
