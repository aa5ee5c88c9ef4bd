/// Signs an account in again when the server no longer accepts its credentials, for example by a refresh token.
///
/// ```swift
/// struct Renewal: Authenticator {
///     let server: LoginServer  // the app's own
///
///     func signInAgain(_ account: String, values: SessionValues) async throws -> [SessionValue] {
///         let refreshToken = try await values.secret(named: "refresh") ?? []
///         return [.secret("token", try await server.token(for: refreshToken))]  // replaces the expired one
///     }
/// }
/// ```
public protocol Authenticator: Sendable {
    /// Returns new credentials for `account`, without the user where that is possible.
    ///
    /// An outbox calls it only while there is a network, and a session never calls it twice at once.
    ///
    /// - Parameters:
    ///   - account: the account whose login has expired.
    ///   - values: the current values of the session, and its secrets.
    /// - Returns: the values that are to replace those of the same names.
    /// - Throws: any error when it did not work this time. The login stays expired, no account is signed out, and the
    ///   call is repeated later.
    func signInAgain(_ account: String, values: SessionValues) async throws -> [SessionValue]
}

/// The values of a session at one point in time.
///
/// ```swift
/// func signInAgain(_ account: String, values: SessionValues) async throws -> [SessionValue] {
///     let workspace = values.value(named: "workspace") ?? []  // a plain value, from the store
///     let refreshToken = try await values.secret(named: "refresh") ?? []  // from the secret store
///     return [.secret("token", try await server.token(for: refreshToken, in: workspace))]
/// }
/// ```
public struct SessionValues: Sendable {
    private let plain: @Sendable (String) -> [UInt8]?
    private let secret: @Sendable (String) async throws -> [UInt8]?

    init(
        plain: @escaping @Sendable (String) -> [UInt8]?, secret: @escaping @Sendable (String) async throws -> [UInt8]?
    ) {
        self.plain = plain
        self.secret = secret
    }

    /// Returns the plain value of a name, or nil.
    public func value(named name: String) -> [UInt8]? { plain(name) }

    /// Returns the secret of a name, or nil.
    ///
    /// - Throws: ``SessionError/secretStoreFailed(reason:)`` when the host's ``SecretStore`` throws.
    public func secret(named name: String) async throws -> [UInt8]? { try await secret(name) }
}
