public import LarderFormat
public import LarderTransport

/// The behaviour of an ``ObjectCache`` unless a request specifies otherwise.
public struct ObjectCacheOptions: Hashable, Sendable {
    /// The rule by which a request chooses between stored objects and the server.
    public var strategy: ObjectStrategy
    /// The header fields that carry validators.
    public var validators: ValidatorFields
    /// The longest file that is stored, in bytes; 15 MiB by default.
    ///
    /// A longer download is delivered and not stored. A longer upload is refused while there is no connection.
    public var fileLimit: Int64
    /// The longest response with objects that is read, in bytes.
    public var responseLimit: Int
    /// The longest waits of an exchange.
    public var timeouts: TransportTimeouts
    /// The header fields that carry secrets: files are stored without them.
    public var credentialFields: CredentialFields
    /// Whether an object saved with a connection is requested, if the response to the save does not contain it.
    public var loadsAfterSave: Bool

    /// Options; limits must be positive.
    public init(
        strategy: ObjectStrategy = .networkElseCache, validators: ValidatorFields = .standard,
        fileLimit: Int64 = 15 << 20, responseLimit: Int = 64 << 20, timeouts: TransportTimeouts = TransportTimeouts(),
        credentialFields: CredentialFields = CredentialFields(), loadsAfterSave: Bool = false
    ) {
        precondition(fileLimit > 0 && responseLimit > 0, "limits of \(fileLimit) and \(responseLimit) bytes")
        self.strategy = strategy
        self.validators = validators
        self.fileLimit = fileLimit
        self.responseLimit = responseLimit
        self.timeouts = timeouts
        self.credentialFields = credentialFields
        self.loadsAfterSave = loadsAfterSave
    }
}
