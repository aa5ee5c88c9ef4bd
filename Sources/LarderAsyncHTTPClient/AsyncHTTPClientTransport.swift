#if AsyncHTTPClient
private import AsyncHTTPClient
public import HTTPTypes
public import LarderTransport
private import NIOCore
private import NIOHTTP1
private import NIOHTTPCompression
private import NIOPosix

/// The transport for Linux: AsyncHTTPClient, with a connection pool of its own.
///
/// A reader that stops asking stops the server: one chunk is held, the rest waits in the socket buffers.
/// A refused connection fails at once, nothing is retried, followed or stored.
/// Bodies travel compressed with gzip or deflate and are decoded as they arrive, unless the request has an
/// `Accept-Encoding` of its own. A body that is coded in another way, damaged or cut off fails with
/// ``TransportError/encodedBody`` when it is read, and one that grows too much with
/// ``TransportError/bodyTooLarge(limit:)``.
/// Field values travel byte for byte over HTTP/1.1; over HTTP/2 only those that are UTF-8 do.
/// Call ``shutdown()`` when done; a transport that is let go without it shuts down in the background.
public final class AsyncHTTPClientTransport: Transport {
    /// Decodes what it receives.
    private let client: HTTPClient
    /// Hands bodies out as they came.
    private let plain: HTTPClient
    private let clock: any Clock<Duration>
    private let isTransparent: Bool

    /// A transport with an empty pool.
    ///
    /// - Parameters:
    ///   - connectionsPerHost: the most HTTP/1.1 connections to one host at a time; more requests wait, which
    ///     counts as connecting. An unread body or a stream of events keeps its connection, so there are many more than
    ///     an HTTP cache has exchanges under way. Requests that ask for a coding themselves have as many of their own.
    ///   - growthLimit: the most bytes that a compressed body may decode to, for each byte received; from 1 on. The
    ///     first MiB of the decoded body is free. Lists in JSON grow 5 to 30 times, deflate at most 1,032 times: at 100
    ///     no list is refused, and a sender pays for each 100 bytes of the reader's memory with one of its own.
    ///     Limits on the length of a body hold for the decoded bytes.
    ///   - isTransparent: whether messages pass as they are: no `Accept-Encoding` is added, a coded body is handed out
    ///     as it came, and HTTP/1.1 alone is spoken. For conformance tests of what stands above.
    ///   - clock: counts the time limits.
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
        // The limit of each request is kept by its exchange; this one ends the attempts that nobody waits for any more.
        configuration.timeout.connect = .seconds(60)
        if isTransparent { configuration.httpVersion = .http1Only }
        plain = HTTPClient(configuration: configuration)
        // The limit of the library is on the whole ratio alone: a short body that repeats itself would exceed any.
        configuration.decompression = .enabled(limit: .none)
        configuration.http1_1ConnectionDebugInitializer = { channel in
            // All that one read brings is decoded at once.
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
        // Lets a client that is already shut down be, and one that is not go without a trap.
        client.shutdown { _ in }
        plain.shutdown { _ in }
    }

    /// Ends every exchange with ``TransportError/cancelled`` and closes all connections.
    ///
    /// Later requests throw ``TransportError/cancelled``. A second call does nothing.
    public func shutdown() async {
        // A client can only say that it was shut down before, or which connections did not close cleanly.
        try? await client.shutdown()
        try? await plain.shutdown()
    }

    /// Sends one request; see ``Transport/send(_:body:timeouts:)``.
    ///
    /// A connect limit above 60 seconds counts as 60 seconds.
    public func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        try await send(request, body.map { .byteBuffer(ByteBuffer(bytes: $0)) }, timeouts)
    }

    /// As ``send(_:body:timeouts:)``; the body is read on a thread pool, a piece ahead of what is sent.
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
        // Reading may wait for a disk, which an event loop must not.
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
        let decodes = !isTransparent && ContentCoding.isUnasked(in: request)
        let delegate = ResponseDelegate(exchange, isSecure: outgoing.useTLS, decodes: decodes)
        let task = (decodes ? client : plain).execute(request: outgoing, delegate: delegate)
        // A client that is shut down fails its tasks without a word to the delegate.
        task.futureResult.whenFailure { exchange.finish(TransportError($0, isConnected: false, isSecure: false)) }
        // The exchange holds the transport: a body may outlive the last reference a caller has.
        exchange.attach { [self] in withExtendedLifetime(self) { task.cancel() } }
        return try await exchange.response()
    }

    private func outgoing(_ request: HTTPRequest, body: HTTPClient.Body?) throws(TransportError) -> HTTPClient.Request {
        let target = try RequestTarget(request)
        var headers = HTTPHeaders()
        for field in request.headerFields {
            let standIn = FieldBytes.standIn(for: field)
            // TLS may lead to HTTP/2, where nobody puts the bytes back.
            if standIn != nil, target.scheme == "https", !isTransparent {
                throw .invalidRequest(reason: "the value of a header field is not UTF-8")
            }
            headers.add(name: field.name.rawName, value: standIn ?? field.value)
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
