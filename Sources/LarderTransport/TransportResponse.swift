public import HTTPTypes

/// The head of a response and its streaming body.
public struct TransportResponse: Sendable {
    /// The status and the header fields.
    public var head: HTTPResponse

    /// The bytes after the head; holding it keeps the exchange open until it is read to its end.
    public var body: TransportBody

    /// Whether the body was coded on the wire (`Content-Encoding`) and the transport decodes it.
    ///
    /// The head has neither the coding nor the length of the coded form. A body that breaks off cannot be completed by
    /// a range: the offsets of the decoded bytes are not those of the form that the entity tag names. False for a
    /// response with status 206.
    public var isDecoded: Bool

    /// Creates a response of these parts.
    public init(head: HTTPResponse, body: TransportBody, isDecoded: Bool = false) {
        self.head = head
        self.body = body
        self.isDecoded = isDecoded
    }

    /// Creates a response whose whole body is in memory; no header field is added.
    public init(status: HTTPResponse.Status, headers: HTTPFields = [:], body: [UInt8] = []) {
        self.init(head: HTTPResponse(status: status, headerFields: headers), body: TransportBody(body))
    }
}
