public import HTTPTypes
public import LarderTransport

/// A transport without a server: a function answers each request.
public struct HandlerTransport: Transport {
    /// The answer to a request and its body.
    public typealias Handler =
        @Sendable (_ request: HTTPRequest, _ body: [UInt8]?) async throws(TransportError) -> TransportResponse

    private let handler: Handler

    /// A transport that answers with `handler`.
    public init(_ handler: @escaping Handler) {
        self.handler = handler
    }

    /// Answers the request; the limits are not looked at.
    ///
    /// - Throws: what the handler throws; ``TransportError/invalidRequest(reason:)`` for a request that real transports
    ///   refuse, and ``TransportError/cancelled`` for a cancelled task.
    public func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        _ = try RequestTarget(request)
        if Task.isCancelled { throw .cancelled }
        return try await handler(request, body)
    }
}
