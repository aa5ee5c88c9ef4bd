// Proves that steady and scripted sources report their states to every stream.

import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A steady source` {
    @Test func `says its state once, and ends with its reader`() async {
        let received = Shared<[NetworkState]>([])
        let reader = Task {
            for await state in SteadyConnectivity(.metered).states() { received.withLock { $0.append(state) } }
        }
        while received.withLock({ $0.isEmpty }) { await Task.yield() }
        reader.cancel()
        await reader.value
        #expect(received.withLock({ $0 }) == [.metered])
        var power = SteadyPower(.saver).states().makeAsyncIterator()
        #expect(await power.next() == .saver)
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A scripted source` {
    @Test func `begins with the state it is in and reports each change`() async {
        let network = ScriptedConnectivity(.offline)
        var states = network.states().makeAsyncIterator()
        #expect(await states.next() == .offline)
        network.set(.online)
        #expect(await states.next() == .online)
        network.set(.online)
        network.set(.metered)
        #expect(await states.next() == .metered)
        #expect(network.current == .metered)
        var late = network.states().makeAsyncIterator()
        #expect(await late.next() == .metered)
    }

    @Test func `notifies every stream`() async {
        let power = ScriptedPower()
        var first = power.states().makeAsyncIterator()
        var second = power.states().makeAsyncIterator()
        #expect(await first.next() == .normal)
        #expect(await second.next() == .normal)
        power.set(.critical)
        #expect(await first.next() == .critical)
        #expect(await second.next() == .critical)
        #expect(power.current == .critical)
    }

    @Test func `leaves a reader that lags with the newest state`() async {
        let power = ScriptedPower(.normal)
        var states = power.states().makeAsyncIterator()
        power.set(.saver)
        power.set(.critical)
        #expect(await states.next() == .critical)
    }

    @Test func `forgets a reader that was cancelled`() async {
        let network = ScriptedConnectivity()
        let reader = Task { for await _ in network.states() {} }
        while network.subscriberCount == 0 { await Task.yield() }
        reader.cancel()
        await reader.value
        #expect(network.subscriberCount == 0)
    }

    @Test func `forgets a stream that nobody holds`() {
        let network = ScriptedConnectivity()
        do {
            let stream = network.states()
            #expect(network.subscriberCount == 1)
            withExtendedLifetime(stream) {}
        }
        #expect(network.subscriberCount == 0)
    }
}
