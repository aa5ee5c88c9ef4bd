/// What an answer means for the entry it answers.
public enum Verdict: Hashable, Sendable {
    /// The server has the write.
    case accepted
    /// It is to be sent again, not before so long; counts as an attempt.
    case retry(after: Duration?)
    /// Something else answered in the server's place: it is to be sent again, not before so long; counts for nothing.
    case wait(after: Duration?)
    /// Nothing of this account is sent until it is signed in; counts for nothing.
    case pause
    /// The server said no, and will again.
    case rejected
    /// The server holds something else.
    case conflict
}
