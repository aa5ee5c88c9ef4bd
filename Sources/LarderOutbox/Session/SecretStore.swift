/// Where the host keeps secrets: a keychain, or whatever else a device has for them.
///
/// The store never holds a secret, so without one of these a secret value is refused.
public protocol SecretStore: Sendable {
    /// The secret of a name, or nil.
    func secret(_ name: SecretName) async throws -> [UInt8]?

    /// Keeps a secret in place of what was kept under the name, or removes it; removing what is not there is no error.
    func setSecret(_ content: [UInt8]?, _ name: SecretName) async throws
}

/// The name of a secret: every account has its own.
public struct SecretName: Hashable, Sendable {
    /// Whose it is.
    public let account: String
    /// The host's name of the value.
    public let name: String

    /// A name of these parts.
    public init(account: String, name: String) {
        self.account = account
        self.name = name
    }
}
