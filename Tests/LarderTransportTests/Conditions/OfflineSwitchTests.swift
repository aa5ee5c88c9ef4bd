// Proves that the offline switch hides the network from every stream, and restores it.

import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The offline switch` {
    private let network = ScriptedConnectivity(.online)

    @Test func `lets the network through while it is off`() async {
        var states = OfflineSwitch(network).states().makeAsyncIterator()
        #expect(await states.next() == .online)
        network.set(.metered)
        #expect(await states.next() == .metered)
    }

    @Test func `hides the network and restores it as it is by then`() async {
        let offline = OfflineSwitch(network)
        var states = offline.states().makeAsyncIterator()
        #expect(await states.next() == .online)
        offline.isForcedOffline = true
        #expect(offline.isForcedOffline)
        #expect(await states.next() == .offline)
        network.set(.constrained)
        offline.isForcedOffline = false
        // The change below may arrive before or after the switch: either way the last word is the network's.
        while await states.next() != .constrained {}
    }

    @Test func `hides what the network does meanwhile`() async {
        let offline = OfflineSwitch(network, isForcedOffline: true)
        let received = Shared<[NetworkState]>([])
        let reader = Task { for await state in offline.states() { received.withLock { $0.append(state) } } }
        while received.withLock({ $0.isEmpty }) { await Task.yield() }
        for state in [NetworkState.metered, .online, .offline, .constrained] {
            network.set(state)
            for _ in 0..<100 { await Task.yield() }
        }
        reader.cancel()
        await reader.value
        #expect(received.withLock({ $0 }) == [.offline])
    }

    @Test func `switches every stream, and those to come`() async {
        let offline = OfflineSwitch(network)
        var first = offline.states().makeAsyncIterator()
        var second = offline.states().makeAsyncIterator()
        #expect(await first.next() == .online)
        #expect(await second.next() == .online)
        offline.isForcedOffline = true
        #expect(await first.next() == .offline)
        #expect(await second.next() == .offline)
        var third = offline.states().makeAsyncIterator()
        #expect(await third.next() == .offline)
    }

    @Test func `says nothing twice`() async {
        network.set(.offline)
        let offline = OfflineSwitch(network)
        var states = offline.states().makeAsyncIterator()
        #expect(await states.next() == .offline)
        offline.isForcedOffline = true
        offline.isForcedOffline = false
        network.set(.metered)
        #expect(await states.next() == .metered)
    }

    @Test func `stops following the network with its reader`() async {
        let offline = OfflineSwitch(network)
        let reader = Task { for await _ in offline.states() {} }
        while network.subscriberCount == 0 { await Task.yield() }
        reader.cancel()
        await reader.value
        while network.subscriberCount > 0 { await Task.yield() }
        do { _ = offline.states() }
        while network.subscriberCount > 0 { await Task.yield() }
    }

    @Test func `ends where the network's own stream ends`() async {
        struct Finite: ConnectivitySource {
            func states() -> AsyncStream<NetworkState> {
                AsyncStream { continuation in
                    continuation.yield(.metered)
                    continuation.finish()
                }
            }
        }
        var states = OfflineSwitch(Finite()).states().makeAsyncIterator()
        #expect(await states.next() == .metered)
        #expect(await states.next() == nil)
    }
}
