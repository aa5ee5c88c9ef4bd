public import LarderFormat
public import LarderTransport

/// How an ``ObjectCache`` behaves unless a request says otherwise.
public struct ObjectCacheOptions: Hashable, Sendable {
    /// How what is kept is weighed against the server.
    public var strategy: ObjectStrategy
    /// Which header fields carry validators.
    public var validators: ValidatorFields
    /// The longest file that is kept, in bytes: 15 MiB unless told otherwise.
    ///
    /// A longer download is delivered and not kept. A longer upload is refused while there is no connection.
    public var fileLimit: Int64
    /// The longest answer with objects that is read, in bytes.
    public var answerLimit: Int
    /// The longest waits of an exchange.
    public var timeouts: TransportTimeouts
    /// Which header fields carry secrets: files are stored without them.
    public var credentialFields: CredentialFields
    /// Whether an object that was saved with a connection is asked for, where the server's answer to the save does not hold it.
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
