public import LarderHTTP
public import LarderOutbox
public import LarderStore
public import LarderSync
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
    /// The limits of the store, such as its size, and what becomes of a damaged file: by default it is replaced by what can
    /// be read of it, and ``ContentCache/store`` says so in `Store.recovery`.
    public var store = StoreOptions()
    /// The directory of a copy that `Store.publish(to:progress:)` has made, such as one in the app's bundle: a cache
    /// that does not exist yet begins with the copy's content, as `Store.open(at:seededFrom:options:host:)` says. Nil
    /// for an empty cache.
    public var seed: String?
    /// The header fields that authenticate syncs and writes; added at each send, never stored. Texts over HTTP go
    /// without them.
    public var credentials: any Credentials = FixedCredentials()
    /// Renews an expired login; without it the user signs in again.
    public var authenticator: (any Authenticator)?
    /// Whether writes belong to the account of the ``ContentCache/session``: nothing is written before
    /// `Session.signIn(as:values:)`. Where it is false, writes are anonymous, content belongs to nobody, and the session is not used.
    public var hasAccounts = true
    /// Whether every account may read the synced content, as where the server gives all of them the same. Where it is
    /// false, `Session.signIn(as:values:)` throws `SessionError.contentOfOtherAccount` while content of another
    /// account is stored: ``ContentCache/removeContent(discardingUnsent:)`` removes it.
    public var contentIsShared = false
    /// The rules for syncs, such as how often; `import LarderSync` to change them.
    public var sync = SyncPolicy()
    /// The rules for sending writes, such as how many may wait; `import LarderOutbox` to change them.
    public var outbox = OutboxPolicy()
    /// Decides about writes that the server answers with a conflict (409, 412); nil: they are refused. `import
    /// LarderOutbox` to make one.
    public var conflicts: ConflictResolver?
    /// The settings of responses over HTTP, such as redirects and retries; `import LarderHTTP` to change them.
    public var http = HTTPCacheOptions()
    /// The most bytes of HTTP responses in the store, approximately; nil for no limit but the store's own.
    public var storedResponseBytes: Int64? = 256 << 20

    /// Creates the default settings: accounts that share no content, no credentials, 256 MiB of responses.
    public init() { store.recovery = .salvage }
}
