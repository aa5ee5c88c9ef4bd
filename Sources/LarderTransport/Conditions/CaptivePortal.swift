/// Tells the answers of a network's sign-in page from those of the server that was asked.
///
/// A captive portal answers in the server's place until somebody signs in: by RFC 6585 §6 with 511, in practice more often
/// with a redirect to its page, or with the page itself under a status of success.
public enum CaptivePortal {
    /// Whether an answer to a request for JSON looks like a portal's, not the server's.
    ///
    /// True for 511; for a redirect (3xx, but for 304, which answers a condition only the server knows), as the
    /// server's protocol has none; and for success (2xx) with an HTML page. An HTML page under an error status is not
    /// taken for a portal's, because the gateways in front of real servers answer so. Over HTTPS a portal cannot
    /// answer at all: the exchange fails instead, mostly with ``TransportError/tls(reason:)``.
    ///
    /// - Parameters:
    ///   - status: the status code.
    ///   - contentType: the value of the header field `Content-Type`, several joined by commas; nil when there is none.
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
