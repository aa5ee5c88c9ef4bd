/// Signs an account in again when the server does not take its credentials any more: by a refresh token, say.
public protocol Authenticator: Sendable {
    /// Gets new credentials for `account`, without a person where that can be.
    ///
    /// Asked only while the network is there, and never twice at once. Whatever it throws means that it did not work
    /// this time: it is asked again later, and nobody is signed out.
    ///
    /// - Parameter values: what the session holds now, and its secrets.
    /// - Returns: the values that are to replace those of the same names.
    func signInAgain(_ account: String, values: SessionValues) async throws -> [SessionValue]
}

/// What a session holds at one moment.
public struct SessionValues: Sendable {
    private let plain: @Sendable (String) -> [UInt8]?
    private let secret: @Sendable (String) async throws -> [UInt8]?

    init(
        plain: @escaping @Sendable (String) -> [UInt8]?, secret: @escaping @Sendable (String) async throws -> [UInt8]?
    ) {
        self.plain = plain
        self.secret = secret
    }

    /// The plain value of a name, or nil.
    public func value(named name: String) -> [UInt8]? { plain(name) }

    /// The secret of a name, or nil.
    ///
    /// - Throws: what the host's ``SecretStore`` throws.
    public func secret(named name: String) async throws -> [UInt8]? { try await secret(name) }
}
