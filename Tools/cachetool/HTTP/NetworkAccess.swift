import HTTPTypes
import LarderTransport

#if AsyncHTTPClient
import LarderAsyncHTTPClient
#else
import LarderURLSession
#endif

/// The network access of the tool: the adapter it was built with, or none.
struct NetworkAccess: Sendable {
    /// A transport that sends nothing and fails like a machine without a network.
    private struct OfflineTransport: Transport {
        func send(
            _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
        ) async throws(TransportError) -> TransportResponse {
            throw .noConnection(reason: "the network is switched off")
        }
    }

    let transport: any Transport
    private let close: @Sendable () async -> Void

    /// - Parameter isTransparent: Whether requests and responses pass unchanged, codings included.
    init(isOffline: Bool = false, isTransparent: Bool = false, connectionsPerHost: Int = 8) {
        if isOffline {
            transport = OfflineTransport()
            close = {}
            return
        }
        #if AsyncHTTPClient
        let client = AsyncHTTPClientTransport(connectionsPerHost: connectionsPerHost, isTransparent: isTransparent)
        transport = client
        close = { await client.shutdown() }
        #else
        transport = URLSessionTransport(connectionsPerHost: connectionsPerHost)
        close = {}
        #endif
    }

    /// Closes all connections.
    func shutdown() async { await close() }
}
