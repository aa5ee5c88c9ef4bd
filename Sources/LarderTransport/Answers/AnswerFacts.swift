/// What is known of the server's answer to a write, without its body.
public struct AnswerFacts: Hashable, Sendable {
    /// The status code.
    public var status: Int
    /// The method of the request, in upper case.
    public var method: String
    /// The sends of this write that the server may have performed, this one included.
    public var tries: Int
    /// Whether the server says that it has answered this key before, and this is that answer.
    public var isReplay: Bool
    /// How long the server asks to be left alone (RFC 9110 §10.2.3).
    public var retryAfter: Duration?
    /// Whether the server says that the first request under this key is still being performed.
    public var isInProgress: Bool
    /// Whether the answer is not the API's: an HTML page, or what the host says is none.
    public var isForeign: Bool
    /// Whether all of its body came, as far as it was promised and read.
    public var isWhole: Bool

    /// The facts of an answer.
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
        self.isWhole = isWhole
    }
}
