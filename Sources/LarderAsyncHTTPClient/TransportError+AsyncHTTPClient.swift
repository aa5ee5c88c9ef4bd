#if AsyncHTTPClient
import AsyncHTTPClient
import LarderTransport
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix

extension TransportError {
    /// Creates the transport error for an error of the client.
    ///
    /// - Parameters:
    ///   - error: The client's error.
    ///   - isConnected: Whether the request was being sent already.
    ///   - isSecure: Whether the connection is TLS. An otherwise unknown error before the request was sent then comes
    ///     from the handshake.
    init(_ error: any Error, isConnected: Bool, isSecure: Bool) {
        switch error {
        case let error as TransportError: self = error
        case is CancellationError: self = .cancelled
        case let error as HTTPClientError: self = Self.transportError(for: error)
        case let error as NIOConnectionError: self = Self.transportError(for: error)
        case let error as IOError: self = Self.transportError(for: error, isConnected: isConnected)
        case let error as ChannelError: self = Self.transportError(for: error)
        case is SocketAddressError: self = .noConnection(reason: "the host name has no address")
        case HTTPParserError.invalidEOFState: self = .connectionLost(reason: "the response is shorter than announced")
        case is HTTPParserError: self = .other(reason: "the response is not HTTP")
        case is NIOHTTPDecompression.DecompressionError, is NIOHTTPDecompression.ExtraDecompressionError:
            self = .encodedBody
        case _ where !isConnected && isSecure: self = .tls(reason: "\(type(of: error))")
        case _ where !isConnected: self = .noConnection(reason: "\(type(of: error))")
        default: self = .other(reason: "\(type(of: error))")
        }
    }

    private static func transportError(for error: HTTPClientError) -> TransportError {
        let reason = error.shortDescription
        switch error {
        case .cancelled, .alreadyShutdown, .requestStreamCancelled:
            return .cancelled
        case .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout:
            return .timeout(.connect)
        case .deadlineExceeded:
            return .timeout(.head)
        case .readTimeout:
            return .timeout(.idle)
        case .remoteConnectionClosed, .uncleanShutdown:
            return .connectionLost(reason: reason)
        case .invalidURL, .emptyHost, .emptyScheme, .contentLengthMissing, .bodyLengthMismatch,
            .traceRequestWithBody, .identityCodingIncorrectlyPresent:
            return .invalidRequest(reason: reason)
        default:
            return .other(reason: reason)
        }
    }

    /// Returns the error for all addresses of a host; one refusal is enough, because a host with two addresses refuses
    /// on both.
    private static func transportError(for error: NIOConnectionError) -> TransportError {
        guard !error.connectionErrors.isEmpty else { return .noConnection(reason: "the host name has no address") }
        let causes = error.connectionErrors.compactMap { $0.error as? IOError }
        if causes.contains(where: { $0.errnoCode == ECONNREFUSED }) { return .connectionRefused }
        if let cause = causes.first { return transportError(for: cause, isConnected: false) }
        return .noConnection(reason: "no address of the host responded")
    }

    private static func transportError(for error: IOError, isConnected: Bool) -> TransportError {
        let reason = "errno \(error.errnoCode)"
        if isConnected { return .connectionLost(reason: reason) }
        switch error.errnoCode {
        case ECONNREFUSED: return .connectionRefused
        case ETIMEDOUT: return .timeout(.connect)
        default: return .noConnection(reason: reason)
        }
    }

    private static func transportError(for error: ChannelError) -> TransportError {
        switch error {
        case .connectTimeout: .timeout(.connect)
        default: .connectionLost(reason: "the channel closed")
        }
    }
}
#endif
