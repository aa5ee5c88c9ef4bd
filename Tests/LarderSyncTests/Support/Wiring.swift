// Wiring: the ways in which a fixture reaches its origin, in process or over HTTP.

import LarderServer
import LarderTransport
import Testing

#if Server && AsyncHTTPClient
import LarderAsyncHTTPClient
#endif

/// The ways in which a fixture reaches its origin; the protocol suite runs over all of them.
enum Wiring: String, CaseIterable, Sendable {
    /// A call in the same process.
    case inProcess
    #if Server && AsyncHTTPClient
    /// HTTP on 127.0.0.1.
    case http
    #endif

    /// Runs `body` with a fixture, and looks at the store afterwards: whatever happened, it must be sound.
    func run(
        credentials: OriginConfiguration.Credentials? = nil, _ body: (SyncFixture) async throws -> Void
    ) async throws {
        let origin = Origin.ofTests()
        switch self {
        case .inProcess:
            let fixture = try SyncFixture(origin: origin)
            try await body(fixture)
            try fixture.expectSound()
        #if Server && AsyncHTTPClient
        case .http:
            let configuration = OriginConfiguration(credentials: credentials)
            try await OriginServer.run(origin, configuration) { base in
                let transport = AsyncHTTPClientTransport()
                let fixture = try SyncFixture(origin: origin, transport: transport, base: base)
                do {
                    try await body(fixture)
                } catch {
                    await transport.shutdown()
                    throw error
                }
                await transport.shutdown()
                try fixture.expectSound()
            }
        #endif
        }
    }
}
