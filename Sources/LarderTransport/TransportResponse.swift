public import HTTPTypes

/// The head of a response and the body that streams behind it.
public struct TransportResponse: Sendable {
    /// The status and the header fields.
    public var head: HTTPResponse

    /// The bytes behind the head; holding it keeps the exchange open until it is read to its end.
    public var body: TransportBody

    /// A response of these two parts.
    public init(head: HTTPResponse, body: TransportBody) {
        self.head = head
        self.body = body
    }

    /// A response whose whole body is in memory; no header field is added.
    public init(status: HTTPResponse.Status, headers: HTTPFields = [:], body: [UInt8] = []) {
        self.init(head: HTTPResponse(status: status, headerFields: headers), body: TransportBody(body))
    }
}
