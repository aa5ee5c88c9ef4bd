// Proves that network states map to the right levels.

import LarderTransport
import Testing

@Suite struct `The level of a network` {
    @Test(arguments: [
        (NetworkState.online, NetworkLevel.online), (.metered, .metered), (.constrained, .constrained),
        (.offline, .offline),
    ])
    func `is what the state is named after`(state: NetworkState, level: NetworkLevel) {
        #expect(state.level == level)
    }

    @Test func `is offline behind a captive portal`() {
        var state = NetworkState.online
        state.isReachable = false
        #expect(state.isConnected)
        #expect(state.level == .offline)
    }

    @Test func `does not wait for somebody to try the server`() {
        #expect(NetworkState(isConnected: true, isReachable: nil).level == .online)
        #expect(NetworkState(isConnected: true, isReachable: true, isMetered: true).level == .metered)
    }

    @Test func `follows the user's wish where the link costs money too`() {
        #expect(NetworkState(isConnected: true, isMetered: true, isConstrained: true).level == .constrained)
    }

    @Test func `is offline without a link, whatever else is said`() {
        #expect(NetworkState(isConnected: false, isReachable: true, isMetered: true).level == .offline)
    }
}
