/// The host's storage for secrets: a keychain, or what else the device has for them.
///
/// The store never holds a secret, so without a secret store a secret value is refused
/// (``SessionError/noSecretStore(secrets:)``).
///
/// ```swift
/// struct Keychain: SecretStore {
///     let items: KeychainItems  // the app's calls of the system's keychain
///
///     func secret(_ name: SecretName) async throws -> [UInt8]? {
///         try items.content(service: name.name, account: name.account)
///     }
///     func setSecret(_ content: [UInt8]?, _ name: SecretName) async throws {
///         try items.setContent(content, service: name.name, account: name.account)  // nil removes it
///     }
/// }
/// ```
public protocol SecretStore: Sendable {
    /// Returns the secret of a name, or nil.
    ///
    /// - Throws: any error, reported as ``SessionError/secretStoreFailed(reason:)``.
    func secret(_ name: SecretName) async throws -> [UInt8]?

    /// Stores a secret in place of the one under the name, or removes it; removing a missing one is no error.
    ///
    /// - Throws: any error, reported as ``SessionError/secretStoreFailed(reason:)``.
    func setSecret(_ content: [UInt8]?, _ name: SecretName) async throws
}

/// The name of a secret: every account has its own.
///
/// ```swift
/// let name = SecretName(account: "jane", name: "token")
/// let secret = try await keychain.secret(name)  // what `Session.signIn(as:values:)` stored
/// print(secret?.count ?? 0, "bytes")
/// ```
public struct SecretName: Hashable, Sendable {
    /// The account that it belongs to.
    public let account: String
    /// The host's name of the value.
    public let name: String

    /// A name of these parts.
    public init(account: String, name: String) {
        self.account = account
        self.name = name
    }
}
