#if AsyncHTTPClient
private import AsyncHTTPClient
public import HTTPTypes
public import LarderTransport
private import NIOCore
private import NIOHTTP1
private import NIOHTTPCompression
private import NIOPosix

/// The transport for Linux: AsyncHTTPClient, with its own connection pool.
///
/// A reader that stops reading pauses the server: one chunk is held, the rest stays in the socket buffers. A refused
/// connection fails at once; nothing is retried, no redirect is followed, nothing is stored.
/// Response bodies are requested with gzip or deflate and decoded as they arrive, unless the request has its own
/// `Accept-Encoding`. A body that is coded in another way, damaged or cut off fails with ``TransportError/encodedBody``
/// when it is read, and one that grows too much with ``TransportError/bodyTooLarge(limit:)``.
/// Field values are passed byte for byte over HTTP/1.1; over HTTP/2 only UTF-8 values are.
/// Call ``shutdown()`` when done; a transport that is released without it shuts down in the background.
public final class AsyncHTTPClientTransport: Transport {
    /// The client that decodes bodies.
    private let client: HTTPClient
    /// The client that passes bodies on as received.
    private let plain: HTTPClient
    private let clock: any Clock<Duration>
    private let isTransparent: Bool

    /// Creates a transport with an empty pool.
    ///
    /// - Parameters:
    ///   - connectionsPerHost: The most HTTP/1.1 connections to one host at a time; further requests wait, which counts
    ///     as connecting. An unread body or a stream of events keeps its connection, so the limit is far above the
    ///     number of exchanges of an HTTP cache. Requests that name a coding themselves have a separate pool of the
    ///     same size.
    ///   - growthLimit: The most bytes that a compressed body may decode to, for each byte received; from 1 on. The
    ///     first MiB of the decoded body is exempt. Lists in JSON grow 5 to 30 times, deflate at most 1,032 times. At
    ///     100 no list is refused, and a sender needs one byte for each 100 bytes of the reader's memory. Limits on the
    ///     length of a body apply to the decoded bytes.
    ///   - isTransparent: Whether messages pass unchanged: no `Accept-Encoding` is added, a coded body is passed on as
    ///     received, and only HTTP/1.1 is used. For conformance tests of the layers above.
    ///   - clock: Measures the time limits.
    public init(
        connectionsPerHost: Int = 64, growthLimit: Int = 100, isTransparent: Bool = false,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        precondition(connectionsPerHost > 0, "\(connectionsPerHost) connections per host")
        precondition(growthLimit > 0, "a growth limit of \(growthLimit)")
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connectionsPerHost
        configuration.http1_1ConnectionDebugInitializer = ResponseGuard.add(to:)
        // Each exchange enforces the limit of its request; this one ends abandoned attempts.
        configuration.timeout.connect = .seconds(60)
        if isTransparent { configuration.httpVersion = .http1Only }
        plain = HTTPClient(configuration: configuration)
        // The library limits only the whole ratio, which a short repetitive body exceeds at any limit.
        configuration.decompression = .enabled(limit: .none)
        configuration.http1_1ConnectionDebugInitializer = { channel in
            // The data of one read is decoded at once.
            channel.setOption(.maxMessagesPerRead, value: 1)
                .flatMap { ResponseGuard.add(to: channel) }
                .flatMap { GrowthGuard.add(to: channel, limit: growthLimit) }
        }
        configuration.http2StreamChannelDebugInitializer = { GrowthGuard.add(to: $0, limit: growthLimit) }
        client = HTTPClient(configuration: configuration)
        self.clock = clock
        self.isTransparent = isTransparent
    }

    deinit {
        // Has no effect on a client that is shut down already, and prevents the trap of one that is not.
        client.shutdown { _ in }
        plain.shutdown { _ in }
    }

    /// Ends every exchange with ``TransportError/cancelled`` and closes all connections.
    ///
    /// Later requests throw ``TransportError/cancelled``. A second call does nothing.
    public func shutdown() async {
        // The only errors are an earlier shutdown and connections that did not close cleanly.
        try? await client.shutdown()
        try? await plain.shutdown()
    }

    /// Sends one request; see ``Transport/send(_:body:timeouts:)``.
    ///
    /// A connect limit above 60 seconds counts as 60 seconds.
    ///
    /// - Throws: As ``Transport/send(_:body:timeouts:)``; ``TransportError/invalidRequest(reason:)`` also for a field
    ///   value that is not UTF-8, over HTTPS.
    public func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        try await send(request, body.map { .byteBuffer(ByteBuffer(bytes: $0)) }, timeouts)
    }

    /// Sends one request as ``send(_:body:timeouts:)``; a thread pool reads the body, each piece after the one before
    /// was written.
    ///
    /// - Throws: As ``send(_:body:timeouts:)``, and as ``Transport/send(_:streaming:timeouts:)`` for the body.
    public func send(
        _ request: HTTPRequest, streaming body: StreamedBody, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        let loop = client.eventLoopGroup.any()
        let outgoing = HTTPClient.Body.stream(contentLength: body.byteCount) { writer in
            Self.write(body, from: 0, to: writer, on: loop)
        }
        return try await send(request, outgoing, timeouts)
    }

    /// Writes the rest of a body, piece by piece.
    private static func write(
        _ body: StreamedBody, from start: Int64, to writer: HTTPClient.Body.StreamWriter, on loop: any EventLoop
    ) -> EventLoopFuture<Void> {
        // Reading may wait for a disk, which must not block an event loop.
        NIOThreadPool.singleton.runIfActive(eventLoop: loop) { try body.piece(from: start) }.flatMap { piece in
            guard let piece else { return loop.makeSucceededVoidFuture() }
            return writer.write(.byteBuffer(ByteBuffer(bytes: piece))).hop(to: loop).flatMap {
                write(body, from: start + Int64(piece.count), to: writer, on: loop)
            }
        }
    }

    private func send(
        _ request: HTTPRequest, _ body: HTTPClient.Body?, _ timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        let outgoing = try outgoing(request, body: body)
        if Task.isCancelled { throw .cancelled }
        let exchange = Exchange(clock: clock, timeouts: timeouts)
        let decodes = !isTransparent && ContentCoding.isIdentityRequired(by: request)
        let delegate = ResponseDelegate(exchange, isSecure: outgoing.useTLS, decodes: decodes)
        let task = (decodes ? client : plain).execute(request: outgoing, delegate: delegate)
        // After a shutdown the client fails its tasks without notifying the delegate.
        task.futureResult.whenFailure { exchange.finish(TransportError($0, isConnected: false, isSecure: false)) }
        // The exchange keeps the transport alive: a body may outlive the caller's last reference.
        exchange.attach { [self] in withExtendedLifetime(self) { task.cancel() } }
        return try await exchange.response()
    }

    private func outgoing(_ request: HTTPRequest, body: HTTPClient.Body?) throws(TransportError) -> HTTPClient.Request {
        let target = try RequestTarget(request)
        var headers = HTTPHeaders()
        for field in request.headerFields {
            let escapedValue = FieldBytes.escapedValue(for: field)
            // TLS may lead to HTTP/2, where the bytes would not be restored.
            if escapedValue != nil, target.scheme == "https", !isTransparent {
                throw .invalidRequest(reason: "the value of a header field is not UTF-8")
            }
            headers.add(name: field.name.rawName, value: escapedValue ?? field.value)
        }
        if !isTransparent, let codings = ContentCoding.added(to: request, decodes: true) {
            headers.add(name: "Accept-Encoding", value: codings)
        }
        do {
            return try HTTPClient.Request(
                url: target.text,
                method: HTTPMethod(rawValue: request.method.rawValue),
                headers: headers,
                body: body)
        } catch {
            throw TransportError(error, isConnected: false, isSecure: false)
        }
    }
}
#endif
