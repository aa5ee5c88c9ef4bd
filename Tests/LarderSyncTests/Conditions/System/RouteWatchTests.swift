// Proves that a route watch reports changes, and keeps its last state while the system reports nothing.

import Larder
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A watch of the routes` {
    private let table = Mutexed<RouteTable>()
    private let deferred = Mutexed<[@Sendable () -> Void]>()
    private let watch: RouteWatch
    private let stream: AsyncStream<NetworkState>

    init() {
        let (stream, relay) = StateRelay<NetworkState>.makeStream()
        let (table, deferred) = (table, deferred)
        self.stream = stream
        watch = RouteWatch(reportingTo: relay) {
            table.value
        } afterDelay: { action in
            _ = deferred.update { ($0 ?? []) + [action] }
        }
    }

    private func runDeferred() {
        let actions = deferred.value ?? []
        deferred.value = []
        for action in actions { action() }
    }

    private static let connected = {
        var table = RouteTable()
        _ = table.read(Datagram.link(3) + Datagram.route(over: 3) + Datagram.done(), answering: Datagram.sequence)
        return table
    }()

    @Test func `reads once more after a change, for updates behind the message`() async {
        var states = stream.makeAsyncIterator()
        table.value = Self.connected
        watch.handleChange()
        #expect(await states.next() == .online)
        table.value = RouteTable()
        runDeferred()
        #expect(await states.next() == .offline)
        #expect(deferred.value?.isEmpty == true)
    }

    @Test func `reports online where the system reports nothing`() async {
        var states = stream.makeAsyncIterator()
        watch.readTable()
        #expect(await states.next() == .online)
    }

    @Test func `keeps the last state while the system reports nothing`() async {
        var states = stream.makeAsyncIterator()
        table.value = RouteTable()
        watch.readTable()
        #expect(await states.next() == .offline)
        table.value = nil
        watch.handleChange()
        runDeferred()
        table.value = Self.connected
        watch.handleChange()
        #expect(await states.next() == .online)
    }
}
