import Foundation
import LarderTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension TransportError {
    /// Creates the transport error for an error of the session.
    ///
    /// - Parameters:
    ///   - error: The session's error.
    ///   - hasHead: Whether the head of the response had arrived. On Linux a body that breaks off gives an unknown
    ///     error, which only this flag distinguishes from others.
    ///   - isSecure: Whether the connection is TLS. On Linux a failed handshake gives an unknown error, too.
    init(_ error: any Error, hasHead: Bool, isSecure: Bool) {
        guard let error = error as? URLError else {
            self = .other(reason: "\(type(of: error))")
            return
        }
        let reason = "URLError \(error.errorCode)"
        switch error.code {
        case .cancelled:
            self = .cancelled
        case .timedOut:
            self = .timeout(.head)
        case .cannotConnectToHost:
            self = .connectionRefused
        case .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet, .internationalRoamingOff, .callIsActive,
            .dataNotAllowed:
            self = .noConnection(reason: reason)
        // On Linux a connection that closes without a byte of response is a bad response.
        case .networkConnectionLost, .badServerResponse:
            self = .connectionLost(reason: reason)
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
            self = .tls(reason: reason)
        case .cannotDecodeContentData, .cannotDecodeRawData:
            self = .encodedBody
        // The address was checked before: on Linux a response that is not HTTP is reported this way.
        case .badURL, .unsupportedURL:
            self = .other(reason: "the response is not HTTP, \(reason)")
        case _ where hasHead:
            self = .connectionLost(reason: reason)
        case .unknown where isSecure:
            self = .tls(reason: reason)
        default:
            self = .other(reason: reason)
        }
    }
}
