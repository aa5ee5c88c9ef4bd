package import HTTPTypes

/// The content of a response besides its verdict.
package struct AcceptedResponse: Hashable, Sendable {
    /// The server's sequence of the write, where it reported one.
    package var sequence: Int64?
    /// The body, where there is one and the entry loads it.
    package var body: [UInt8]?
    /// The head of the response; nil for a member of a batch.
    package var head: HTTPResponse?

    /// A response of these parts.
    package init(sequence: Int64? = nil, body: [UInt8]? = nil, head: HTTPResponse? = nil) {
        self.sequence = sequence
        self.body = body
        self.head = head
    }
}
