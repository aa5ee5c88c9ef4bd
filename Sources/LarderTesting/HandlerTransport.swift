public import HTTPTypes
public import LarderTransport

/// A transport without a server: a function responds to each request.
public struct HandlerTransport: Transport {
    /// A function that returns the response to a request and its body.
    public typealias Handler =
        @Sendable (_ request: HTTPRequest, _ body: [UInt8]?) async throws(TransportError) -> TransportResponse

    private let handler: Handler

    /// A transport that responds with `handler`.
    public init(_ handler: @escaping Handler) {
        self.handler = handler
    }

    /// Returns the response of the handler; the time limits are ignored.
    ///
    /// - Throws: the error of the handler; `TransportError.invalidRequest(reason:)` for a request that real
    ///   transports refuse, and `TransportError.cancelled` for a cancelled task.
    public func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        _ = try RequestTarget(request)
        if Task.isCancelled { throw .cancelled }
        return try await handler(request, body)
    }
}
