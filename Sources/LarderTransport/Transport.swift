public import HTTPTypes

/// Sends a request over the network, and returns the head of the response and a streaming body.
///
/// Every conformer guarantees:
/// - Redirects are never followed. A 3xx is returned as the response it is, so that the request's headers are never
///   sent to another host.
/// - Nothing is cached, no cookie is stored or sent, and nothing is sent twice without the caller.
/// - A status of 400 or above is a response, not an error. Errors are about the exchange itself.
/// - For a request without `Accept-Encoding`, the conformer requests the codings that it decodes, or `identity` if it
///   decodes none. A request with `Range` always requests `identity`: a range of the coded form cannot be decoded. A
///   request with an `Accept-Encoding` that names a coding gets the body as the server sends it.
/// - A coded body that the request did not name itself is either decoded, under a head without the coding and the
///   length of the coded form (``TransportResponse/isDecoded``), or refused with ``TransportError/encodedBody``. It is
///   never passed on as if it were plain.
/// - A request that ``RequestTarget`` refuses is refused before a byte is sent.
///
/// This one names the app in every request. It does not implement the second function, so a streamed body is read
/// into memory:
///
/// ```swift
/// struct NamedTransport: Transport {
///     let base: any Transport
///
///     func send(
///         _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
///     ) async throws(TransportError) -> TransportResponse {
///         var request = request
///         request.headerFields[.userAgent] = "Words/1.2"
///         return try await base.send(request, body: body, timeouts: timeouts)
///     }
/// }
/// ```
public protocol Transport: Sendable {
    /// Sends one request and returns when the head of the response has arrived; the body streams.
    ///
    /// Cancelling the calling task ends the exchange at once. After the return, the exchange lives as long as the body:
    /// releasing it unread closes the exchange.
    ///
    /// - Parameters:
    ///   - request: Needs a scheme of `http` or `https`, an authority, and a path that begins with `/`.
    ///   - body: The whole request body, or `nil` for none.
    ///   - timeouts: The longest waits of each phase; the last also applies to the returned body.
    /// - Throws: Every case of ``TransportError`` except ``TransportError/bodyTooLarge(limit:)``, which only the body
    ///   throws.
    func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse

    /// Sends one request as ``send(_:body:timeouts:)``, with a body that is read while it is sent.
    ///
    /// A conformer that cannot stream need not implement this: the body is read into memory then.
    ///
    /// - Throws: As ``send(_:body:timeouts:)``; ``TransportError/invalidRequest(reason:)`` or
    ///   ``TransportError/connectionLost(reason:)`` when the body cannot be read, before or after some of it was sent.
    func send(
        _ request: HTTPRequest, streaming body: StreamedBody, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse
}

extension Transport {
    /// Reads the whole body into memory, and sends it.
    ///
    /// - Throws: As ``send(_:body:timeouts:)``; ``TransportError/invalidRequest(reason:)`` when the body cannot be
    ///   read.
    public func send(
        _ request: HTTPRequest, streaming body: StreamedBody, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        try await send(request, body: try body.collect(), timeouts: timeouts)
    }

    /// Sends a request without a body, by default with the default timeouts.
    ///
    /// - Throws: As ``send(_:body:timeouts:)``.
    public func send(
        _ request: HTTPRequest, timeouts: TransportTimeouts = TransportTimeouts()
    ) async throws(TransportError) -> TransportResponse {
        try await send(request, body: nil, timeouts: timeouts)
    }
}
