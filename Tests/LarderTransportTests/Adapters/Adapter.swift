// Adapter: the adapters under test; each runs the same tests.

import HTTPTypes
import LarderAsyncHTTPClient
import LarderTransport
import LarderURLSession
import Testing

/// The adapters under test; each runs the same tests.
enum Adapter: String, CaseIterable, Sendable, CustomTestStringConvertible {
    #if AsyncHTTPClient
    case asyncHTTPClient
    #endif
    case urlSession

    var testDescription: String { rawValue }

    /// A new transport whose limits `clock` counts.
    func transport(clock: any Clock<Duration> = ContinuousClock()) -> any Transport {
        switch self {
        #if AsyncHTTPClient
        case .asyncHTTPClient: AsyncHTTPClientTransport(clock: clock)
        #endif
        case .urlSession: URLSessionTransport(clock: clock)
        }
    }
}

extension RawServer {
    func request(_ method: HTTPRequest.Method = .get, _ path: String = "/", headers: HTTPFields = [:]) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1:\(port)", path: path, headerFields: headers)
    }
}

/// Limits that no test reaches by the real clock.
let patient = TransportTimeouts(connect: .seconds(60), head: .seconds(60), idle: .seconds(60))
