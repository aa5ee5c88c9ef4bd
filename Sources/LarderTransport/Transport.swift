public import HTTPTypes

/// The one door to the network: sends a request, hands back the head of the response and a streaming body.
///
/// What every conformer promises:
/// - Redirects are never followed. A 3xx is returned as the response it is, so that the request's headers
///   never leave the host they were meant for.
/// - Nothing is cached, no cookie is stored or sent, nothing is sent twice behind the caller's back.
/// - A status of 400 or above is a response, not an error. Errors are about the exchange itself.
/// - A request without `Accept-Encoding` leaves the coding to the conformer, which asks for those that it decodes, or for
///   `identity` if it decodes none. A request with `Range` always asks for `identity`: a range of the coded form cannot be
///   decoded. A request with an `Accept-Encoding` that names a coding gets the body as the server sends it.
/// - A coded body that the request did not ask for itself is either handed out decoded, under a head without the coding
///   and the length of the coded form (``TransportResponse/isDecoded``), or refused with ``TransportError/encodedBody``;
///   it is never passed on as if it were plain.
/// - A request that ``RequestTarget`` refuses is refused before a byte is sent.
public protocol Transport: Sendable {
    /// Sends one request and returns when the head of the response is there; the body streams.
    ///
    /// Cancelling the calling task ends the exchange at once. After the return, the exchange lives as long as
    /// somebody holds the body: dropping it unread closes the exchange.
    ///
    /// - Parameters:
    ///   - request: needs a scheme of `http` or `https`, an authority, and a path that begins with `/`.
    ///   - body: the whole request body, or `nil` for none.
    ///   - timeouts: the longest waits of each phase; the last holds for the body that is returned, too.
    /// - Throws: every case of ``TransportError`` but ``TransportError/bodyTooLarge(limit:)``, which only the body throws.
    func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse

    /// As ``send(_:body:timeouts:)``, with a body that is read while it is sent.
    ///
    /// A conformer that cannot stream need not implement this: the body is read into memory then.
    ///
    /// - Throws: as ``send(_:body:timeouts:)``; ``TransportError/invalidRequest(reason:)`` or
    ///   ``TransportError/connectionLost(reason:)`` when the body cannot be read, before or after some of it was sent.
    func send(
        _ request: HTTPRequest, streaming body: StreamedBody, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse
}

extension Transport {
    /// Reads the whole body into memory, and sends it.
    public func send(
        _ request: HTTPRequest, streaming body: StreamedBody, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        try await send(request, body: try body.collect(), timeouts: timeouts)
    }

    /// Sends a request without a body, with the default timeouts unless told otherwise.
    ///
    /// - Throws: as ``send(_:body:timeouts:)``.
    public func send(
        _ request: HTTPRequest, timeouts: TransportTimeouts = TransportTimeouts()
    ) async throws(TransportError) -> TransportResponse {
        try await send(request, body: nil, timeouts: timeouts)
    }
}
