private import Dispatch
private import Foundation
public import HTTPTypes
public import LarderTransport

#if canImport(FoundationNetworking)
private import FoundationNetworking
#endif

/// The transport without dependencies: URLSession, ephemeral, without cache, cookies or credentials.
///
/// What it cannot do, and AsyncHTTPClient can:
/// - Hold the server back. Bytes that arrive before they are read pile up to ``unreadLimit``, then the exchange fails with
///   ``TransportError/bodyTooLarge(limit:)``. (On Linux `suspend` and `resume` send the whole request a second time,
///   and so are of no use here.)
/// - See when the connection stands: ``TransportTimeouts/connect`` is not kept, ``TransportTimeouts/head`` covers both.
/// - Tell a refused connection from a host that cannot be reached: both are ``TransportError/connectionRefused``.
/// - Leave a compressed body alone: the session decodes what it can, whoever asked for it. The limits hold for what comes
///   out; how many times a body grows is not limited. On Linux compressed bodies are neither asked for nor accepted, unless
///   the request has an `Accept-Encoding`: the session ends one that is damaged or cut off as if it were whole.
/// - Keep a request from being sent twice: when a reused connection dies before the first byte of the response, the
///   session itself tries once more on a new one.
/// - Keep header fields of one name apart: they arrive joined by commas.
/// - Stand every server, on Linux: a `Content-Length` of 2^63 - 1 ends the process inside the session, and each trailer
///   field takes longer than the one before. Use AsyncHTTPClient there.
public final class URLSessionTransport: Transport {
    /// The most bytes of one body that may lie unread, in bytes.
    public let unreadLimit: Int

    private let session: URLSession
    private let delegate: SessionDelegate
    private let clock: any Clock<Duration>

    /// A transport with a session of its own.
    ///
    /// - Parameters:
    ///   - unreadLimit: the most unread bytes of one body; 32 MiB unless told otherwise.
    ///   - connectionsPerHost: the most connections to one host at a time; more requests wait.
    ///   - clock: counts the time limits.
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
        // The exchange keeps the limits; the session's own must never be the first to fire.
        configuration.timeoutIntervalForRequest = 7 * 86_400
        delegate = SessionDelegate()
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        self.unreadLimit = unreadLimit
        self.clock = clock
    }

    deinit {
        // As with `cancel`, see below: this may be a thread that must not wait.
        let session = session
        DispatchQueue.global().async { session.invalidateAndCancel() }
    }

    /// Sends one request; see ``Transport/send(_:body:timeouts:)``.
    public func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        let outgoing = try outgoing(request, body: body)
        if Task.isCancelled { throw .cancelled }
        let exchange = Exchange(clock: clock, timeouts: timeouts, unreadLimit: unreadLimit)
        let task = session.dataTask(with: outgoing)
        delegate.register(
            exchange, acceptsCoded: SessionDelegate.decodes || !ContentCoding.isUnasked(in: request),
            for: task.taskIdentifier)
        // The exchange holds the transport: a body may outlive the last reference a caller has.
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
