import Foundation
import LarderTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension TransportError {
    /// The fact behind an error of the session.
    ///
    /// - Parameters:
    ///   - error: what the session reported.
    ///   - hasHead: whether the head of the response had arrived. On Linux a body that breaks off is an unknown
    ///     error, told from others by that alone.
    ///   - isSecure: whether the connection is TLS. On Linux a handshake that fails is an unknown error, too.
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
        // The address was checked before: on Linux this is how a response that is not HTTP is reported.
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
