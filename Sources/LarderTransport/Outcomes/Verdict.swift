/// The meaning of a response for its entry.
public enum Verdict: Hashable, Sendable {
    /// The server has the write.
    case accepted
    /// The entry is sent again, not before this time has passed; counts as an attempt unless the server only asks for
    /// time: 429, 503 with `Retry-After`, or 409 while the first try is performed.
    case retry(after: Duration?)
    /// Something other than the server responded: the entry is sent again, not before this time has passed; counts as
    /// no attempt.
    case wait(after: Duration?)
    /// Nothing of this account is sent until it is signed in; counts as no attempt.
    case pause
    /// The server refused the write, and would refuse it again.
    case rejected
    /// The server has a conflicting value.
    case conflict
}
