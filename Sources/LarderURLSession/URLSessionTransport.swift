private import Dispatch
private import Foundation
public import HTTPTypes
public import LarderTransport

#if canImport(FoundationNetworking)
private import FoundationNetworking
#endif

/// The transport without dependencies: URLSession, ephemeral, without cache, cookies or credentials.
///
/// It has these limits, which AsyncHTTPClient does not have:
/// - It cannot pause the server. Bytes that arrive before they are read accumulate up to ``unreadLimit``, then the
///   exchange fails with ``TransportError/bodyTooLarge(limit:)``. (On Linux `suspend` and `resume` send the whole
///   request a second time, and so are of no use here.)
/// - It does not know when the connection is open: ``TransportTimeouts/connect`` is not enforced,
///   ``TransportTimeouts/head`` covers both.
/// - It cannot distinguish a refused connection from an unreachable host: both are
///   ``TransportError/connectionRefused``.
/// - It cannot pass on a compressed body unchanged: the session decodes every coding that it knows. Limits apply to the
///   decoded bytes; the growth of a body is not limited. On Linux compressed bodies are neither requested nor accepted,
///   unless the request has an `Accept-Encoding`: there the session ends a damaged or incomplete body as if it were
///   whole.
/// - It cannot keep a request from being sent twice: when a reused connection ends before the first byte of the
///   response, the session itself tries once more on a new one.
/// - It does not keep header fields of one name apart: they arrive joined by commas.
/// - On Linux it is not safe against hostile servers: a `Content-Length` of 2^63 - 1 ends the process inside the
///   session, and each trailer field is slower than the one before. Use AsyncHTTPClient there.
public final class URLSessionTransport: Transport {
    /// The most unread bytes of one body.
    public let unreadLimit: Int

    private let session: URLSession
    private let delegate: SessionDelegate
    private let clock: any Clock<Duration>

    /// Creates a transport with its own session.
    ///
    /// - Parameters:
    ///   - unreadLimit: The most unread bytes of one body; 32 MiB by default.
    ///   - connectionsPerHost: The most connections to one host at a time; further requests wait.
    ///   - clock: Measures the time limits.
    public init(
        unreadLimit: Int = 32 << 20, connectionsPerHost: Int = 64, clock: any Clock<Duration> = ContinuousClock()
    ) {
        precondition(unreadLimit > 0, "an unread limit of \(unreadLimit) bytes")
        precondition(connectionsPerHost > 0, "\(connectionsPerHost) connections per host")
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        configuration.httpMaximumConnectionsPerHost = connectionsPerHost
        // The exchange enforces the limits; the session's own must never fire first.
        configuration.timeoutIntervalForRequest = 7 * 86_400
        delegate = SessionDelegate()
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        self.unreadLimit = unreadLimit
        self.clock = clock
    }

    deinit {
        // As with `cancel` below: this may be a thread that must not block.
        let session = session
        DispatchQueue.global().async { session.invalidateAndCancel() }
    }

    /// Sends one request; see ``Transport/send(_:body:timeouts:)``.
    ///
    /// - Throws: As ``Transport/send(_:body:timeouts:)``.
    public func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        let outgoing = try outgoing(request, body: body)
        if Task.isCancelled { throw .cancelled }
        let exchange = Exchange(clock: clock, timeouts: timeouts, unreadLimit: unreadLimit)
        let task = session.dataTask(with: outgoing)
        delegate.register(
            exchange, acceptsCoded: SessionDelegate.decodes || !ContentCoding.isIdentityRequired(by: request),
            for: task.taskIdentifier)
        // The exchange keeps the transport alive: a body may outlive the caller's last reference.
        // On Linux `cancel` waits for the session's queue, which a hostile response can keep busy.
        exchange.attach { [self] in
            DispatchQueue.global().async { withExtendedLifetime(self) { task.cancel() } }
        }
        exchange.connected()
        task.resume()
        return try await exchange.response()
    }

    private func outgoing(_ request: HTTPRequest, body: [UInt8]?) throws(TransportError) -> URLRequest {
        let target = try RequestTarget(request)
        guard let url = URL(string: target.text) else { throw .invalidRequest(reason: "the address is not a URL") }
        var outgoing = URLRequest(url: url, cachePolicy: .useProtocolCachePolicy, timeoutInterval: 7 * 86_400)
        outgoing.httpMethod = request.method.rawValue
        outgoing.httpShouldHandleCookies = false
        for field in request.headerFields { outgoing.addValue(field.value, forHTTPHeaderField: field.name.rawName) }
        if let codings = ContentCoding.added(to: request, decodes: SessionDelegate.decodes) {
            outgoing.setValue(codings, forHTTPHeaderField: "Accept-Encoding")
        }
        if let body { outgoing.httpBody = Data(body) }
        return outgoing
    }
}
