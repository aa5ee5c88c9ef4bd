/// The facts known about the server's response to a write, without its body.
public struct ResponseFacts: Hashable, Sendable {
    /// The status code.
    public var status: Int
    /// The method of the request, in upper case.
    public var method: String
    /// The number of sends of this write that the server may have performed, this one included.
    public var tries: Int
    /// Whether the server marks this response as one that it gave to this key before.
    public var isReplay: Bool
    /// The time for which the server requests no further request (RFC 9110 §10.2.3).
    public var retryAfter: Duration?
    /// Whether the server reports that the first request under this key is still being performed.
    public var isInProgress: Bool
    /// Whether the response is not the API's: an HTML page, or one that the app classifies as foreign.
    public var isForeign: Bool
    /// Whether the whole body arrived, as far as it was announced and read.
    public var isComplete: Bool

    /// Creates the facts of a response.
    public init(
        status: Int, method: String, tries: Int, isReplay: Bool = false, retryAfter: Duration? = nil,
        isInProgress: Bool = false, isForeign: Bool = false, isWhole: Bool = true
    ) {
        self.status = status
        self.method = method
        self.tries = tries
        self.isReplay = isReplay
        self.retryAfter = retryAfter
        self.isInProgress = isInProgress
        self.isForeign = isForeign
        self.isComplete = isWhole
    }
}
