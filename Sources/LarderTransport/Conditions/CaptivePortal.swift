/// Distinguishes the responses of a network's sign-in page from those of the requested server.
///
/// A captive portal responds instead of the server until the user signs in. RFC 6585 §6 defines 511 for it; in practice
/// it sends more often a redirect to its page, or the page itself under a status of success.
public enum CaptivePortal {
    /// Returns whether a response to a request for JSON looks like a portal's, not the server's.
    ///
    /// True for 511; for a redirect, because the server's protocol has none (3xx except 304, which needs a validator
    /// that only the server knows); and for success (2xx) with an HTML page. An HTML page under an error status does
    /// not count as a portal's, because the gateways of real servers send such pages. Over HTTPS a portal cannot
    /// respond at all: the exchange fails instead, mostly with ``TransportError/tls(reason:)``.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - contentType: The value of the header field `Content-Type`, several joined by commas; nil when there is none.
    public static func isLikely(status: Int, contentType: String?) -> Bool {
        switch status {
        case 511: true
        case 304: false
        case 300...399: true
        case 200...299: ContentKind(contentType) == .page
        default: false
        }
    }
}
