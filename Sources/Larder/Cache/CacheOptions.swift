public import LarderOutbox
public import LarderStore
public import LarderTransport

/// The settings of a cache, beside its servers and rows.
///
/// ```swift
/// var options = CacheOptions()
/// options.store.sizeCap = 200 << 20
/// options.credentials = FixedCredentials([.authorization: "Bearer \(token)"])
/// let cache = try await ContentCache.open(location, services: services, options: options)
/// try await cache.close()
/// ```
public struct CacheOptions: Sendable {
    /// The limits of the store, such as its size.
    public var store = StoreOptions()
    /// The header fields that authenticate syncs and writes; added at each send, never stored. Texts over HTTP go
    /// without them.
    public var credentials: any Credentials = FixedCredentials()
    /// Renews an expired login; without it the user signs in again.
    public var authenticator: (any Authenticator)?
    /// Whether writes belong to the account of the ``ContentCache/session``: nothing is written before
    /// ``Session/signIn(as:values:)``. Where it is false, writes are anonymous, and the session is not used.
    public var hasAccounts = true
    /// The most bytes of HTTP responses in the store, approximately; nil for no limit but the store's own.
    public var storedResponseBytes: Int64? = 256 << 20

    /// Creates the default settings: accounts, no credentials, 256 MiB of responses.
    public init() {}
}
