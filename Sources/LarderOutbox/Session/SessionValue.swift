/// A value of a session, such as a workspace or a token, named by the host.
///
/// ```swift
/// let values: [SessionValue] = [.plain("workspace", "7"), .secret("token", token)]
/// try await session.signIn(as: "jane", values: values)  // the token is in the secret store only
/// let workspace = await session.value(named: "workspace")  // the bytes of "7"
/// let secret = try await session.secret(named: "token")
/// print(workspace?.count ?? 0, secret?.count ?? 0)
/// ```
public struct SessionValue: Hashable, Sendable {
    /// The name; names are compared byte for byte, and one is either plain or secret.
    public let name: String
    /// The value.
    public let content: [UInt8]
    /// Whether it is stored in the host's ``SecretStore``, and nowhere else.
    public let isSecret: Bool

    /// A value of these parts.
    public init(name: String, content: [UInt8], isSecret: Bool) {
        self.name = name
        self.content = content
        self.isSecret = isSecret
    }

    /// Returns a text that is stored with the state of the session.
    public static func plain(_ name: String, _ text: String) -> SessionValue {
        SessionValue(name: name, content: Array(text.utf8), isSecret: false)
    }

    /// Returns a text that is stored in the host's ``SecretStore`` only.
    public static func secret(_ name: String, _ text: String) -> SessionValue {
        SessionValue(name: name, content: Array(text.utf8), isSecret: true)
    }
}
