public import HTTPTypes
public import LarderTransport

/// One fault of an exchange.
///
/// Faults of one exchange apply in the order given: faults of the request before it is sent, faults of the response as
/// it streams past. Byte positions count from 0, in the bytes that an earlier fault has let through.
public enum Fault: Sendable, Equatable {
    /// The exchange waits before the request is sent, by the script's clock.
    case delay(Duration)

    /// The request fails without reaching the other side.
    case fail(TransportError)

    /// The other side receives the request and acts on it; its response is lost.
    case loseResponse(TransportError)

    /// The other side receives the request, and no head comes until the task is cancelled or the head's limit is over.
    case stallBeforeHead

    /// The body stops after `bytes`, until the task is cancelled or the idle limit is over.
    case stall(after: Int)

    /// The body ends after `bytes` as if it were whole, as from a faulty server or proxy.
    case truncate(after: Int)

    /// The connection is lost after `bytes` of the body.
    case cut(after: Int)

    /// The byte at `position` of the body arrives with the bits of `mask` changed.
    case flip(at: Int, mask: UInt8 = 1)

    /// The head arrives with another status.
    case status(HTTPResponse.Status)

    /// The head arrives with another value of a field, or (`nil`) without it.
    case header(HTTPField.Name, String?)

    /// Another body arrives.
    case body([UInt8])

    /// The body arrives in chunks of `size` bytes, the last one shorter.
    case rechunk(Int)
}
