import HTTPTypes
import LarderHTTP
import LarderStore
import LarderTesting
import LarderTransport
import Synchronization

/// A cache under test: a virtual clock, a server that is a function, and a list for a store.
final class Bench: Sendable {
    let clock = VirtualClock()
    let store = ListCache()
    let memory = ListCache()
    let server: ScriptedTransport
    let cache: HTTPCache
    private let handler: Mutex<HandlerTransport.Handler>
    private let online = Atomic(true)

    init(
        options: HTTPCacheOptions = HTTPCacheOptions(), policy: CachePolicy = CachePolicy(),
        _ handler: @escaping HandlerTransport.Handler = { (_, _) throws(TransportError) in TransportResponse(status: .ok) }
    ) {
        let relay = Relay(handler)
        server = ScriptedTransport(clock: clock) { (request, body) async throws(TransportError) in
            try await relay.answer(request, body)
        }
        self.relay = relay
        self.handler = Mutex(handler)
        let isOnline = Flag()
        flag = isOnline
        cache = HTTPCache(
            transport: server, persistent: store, memory: memory, policy: policy, options: options,
            services: .virtual(clock), isOnline: { isOnline.value })
    }
}
