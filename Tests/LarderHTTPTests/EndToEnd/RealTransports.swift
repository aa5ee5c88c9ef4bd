// RealTransport and CacheWorld: the real transports and a cache over one of them.

#if Server
import Foundation
import HTTPOrigin
import HTTPTypes
import LarderStore
import LarderTransport
import LarderAsyncHTTPClient
import LarderHTTP
import LarderTesting
import LarderURLSession
import Synchronization
import Testing

/// Both ways to a real server.
enum RealTransport: String, CaseIterable, CustomTestStringConvertible {
    case urlSession
    #if AsyncHTTPClient
    case asyncHTTPClient
    #endif

    var testDescription: String { rawValue }

    func make() -> any Transport {
        switch self {
        case .urlSession: URLSessionTransport()
        #if AsyncHTTPClient
        case .asyncHTTPClient: AsyncHTTPClientTransport()
        #endif
        }
    }
}

/// Whether the host believes in a network.
final class OnlineSwitch: Sendable {
    private let state = Mutex(true)

    var isOnline: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// A cache over a real store, a real transport and a real server, at a time that is set.
final class CacheWorld: Sendable {
    let origin = HTTPOrigin()
    let clock: VirtualClock
    let switchboard = OnlineSwitch()
    let store: Store
    let cache: HTTPCache
    private let path = FileManager.default.temporaryDirectory.path + "/larder-http-\(UUID().uuidString)"

    init(_ transport: RealTransport, options: HTTPCacheOptions = HTTPCacheOptions()) throws {
        // The origin's Date is the real one, so the virtual clock begins there.
        let clock = VirtualClock(wallMilliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        self.clock = clock
        store = try Store.open(at: path, host: .virtual(clock))
        cache = HTTPCache(
            transport: transport.make(), persistent: StoreResponseCache(store: store), options: options,
            services: .virtual(clock), isOnline: { [switchboard] in switchboard.isOnline })
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

extension Fetched where Value == HTTPAnswer {
    /// The body as text.
    func text() async throws -> String { String(decoding: try await value.body.bytes(), as: UTF8.self) }
}
#endif
