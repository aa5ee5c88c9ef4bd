// Client: an HTTP client without a cache, for tests of servers.

#if AsyncHTTPClient
import HTTPTypes
import Larder
import LarderAsyncHTTPClient
import LarderTransport
import Testing

/// An HTTP client without a cache.
struct Client {
    /// An answer, read to its end.
    struct Answer {
        let status: Int
        let fields: HTTPFields
        let text: String

        subscript(_ name: String) -> String? { HTTPField.Name(name).flatMap { fields[$0] } }
    }

    private let transport = AsyncHTTPClientTransport(isTransparent: true)

    /// Sends a request; `address` is absolute.
    func send(
        _ method: HTTPRequest.Method, _ address: String, _ fields: HTTPFields = [:], body: String? = nil
    ) async throws -> Answer {
        let request = try #require(FetchRequest(address, method: method, fields: fields)).request
        let response = try await transport.send(
            request, body: body.map { Array($0.utf8) }, timeouts: TransportTimeouts())
        let text = String(decoding: try await response.body.collect(upTo: 64 << 20), as: UTF8.self)
        return Answer(status: response.head.status.code, fields: response.head.headerFields, text: text)
    }

    func get(_ address: String, _ fields: HTTPFields = [:]) async throws -> Answer {
        try await send(.get, address, fields)
    }
}
#endif
