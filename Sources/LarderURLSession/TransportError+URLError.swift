import Foundation
import LarderTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension TransportError {
    /// The fact behind an error of the session.
    init(_ error: any Error) {
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
        case .networkConnectionLost:
            self = .connectionLost(reason: reason)
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
            self = .tls(reason: reason)
        case .badURL, .unsupportedURL:
            self = .invalidRequest(reason: reason)
        default:
            self = .other(reason: reason)
        }
    }
}
