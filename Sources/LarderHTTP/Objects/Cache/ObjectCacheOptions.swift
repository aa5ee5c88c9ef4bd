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
    public var answerLimit: Int
    /// The longest waits of an exchange.
    public var timeouts: TransportTimeouts
    /// The header fields that carry secrets: files are stored without them.
    public var credentialFields: CredentialFields
    /// Whether an object saved with a connection is requested, if the response to the save does not contain it.
    public var loadsSaved: Bool

    /// Options; limits must be positive.
    public init(
        strategy: ObjectStrategy = .networkElseCache, validators: ValidatorFields = .standard,
        fileLimit: Int64 = 15 << 20, answerLimit: Int = 64 << 20, timeouts: TransportTimeouts = TransportTimeouts(),
        credentialFields: CredentialFields = CredentialFields(), loadsSaved: Bool = false
    ) {
        precondition(fileLimit > 0 && answerLimit > 0, "limits of \(fileLimit) and \(answerLimit) bytes")
        self.strategy = strategy
        self.validators = validators
        self.fileLimit = fileLimit
        self.answerLimit = answerLimit
        self.timeouts = timeouts
        self.credentialFields = credentialFields
        self.loadsSaved = loadsSaved
    }
}
