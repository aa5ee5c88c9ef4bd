public import HTTPTypes
public import LarderTransport

/// Why a fetch gave no answer.
public enum HTTPCacheError: Error, Sendable {
    /// The network failed, took too long, or is not there.
    case transport(TransportError)
    /// The server answered with an error that the caller asked to have thrown.
    case server(HTTPResponse)
    /// The answer cannot be understood by the program.
    case parse(any Error)
    /// Nothing is stored, and the strategy does not ask the network.
    case notCached(CacheReason)
    /// The host asked for persistence before it said where.
    case notConfigured(String)
    /// The body to send is above the limit, and cannot be kept until there is a connection.
    case uploadTooLarge(actual: Int64, limit: Int64)
    /// The body of an answer from the cache was removed before it was read.
    case bodyGone
    /// The request cannot be sent or cached as it stands.
    case invalidRequest(String)
}
