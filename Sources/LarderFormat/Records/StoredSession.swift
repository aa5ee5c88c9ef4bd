/// The record `meta` ("session"): the account that is signed in, and the values that control the session.
///
/// FORMAT.md, "meta". At most ``Limits/session`` bytes when encoded. The record contains no secrets: the app keeps
/// those elsewhere, and only their names are here.
public struct StoredSession: TupleRecord, Hashable, Sendable {
    /// The state of a session, by its number in FORMAT.md.
    public enum State: Int64, Hashable, Sendable, CaseIterable {
        /// No account is signed in.
        case signedOut = 0
        /// The account is signed in.
        case signedIn = 1
        /// The account is signed in, and the server no longer accepts its credentials.
        case expired = 2
    }

    /// A value with a name that the app chose.
    public struct Value: Hashable, Sendable {
        /// The name; names are compared byte for byte.
        public package(set) var name: String
        /// The value.
        public package(set) var content: [UInt8]

        /// A value of these parts.
        public init(name: String, content: [UInt8]) {
            self.name = name
            self.content = content
        }
    }

    /// The state.
    public var state = State.signedOut
    /// The account. Nil when none is signed in, unless secrets of the last one are still to be removed.
    public var account: String?
    /// When the state last changed, in milliseconds since 1970-01-01 UTC.
    public var changedAt: Int64 = 0
    /// When an account last signed in, likewise.
    public var signedInAt: Int64 = 0
    /// The values, none of which is secret; no two have the same name.
    public package(set) var values: [Value] = []
    /// The names of the values that are secret, once each.
    public package(set) var secretNames: [String] = []

    package init() {}

    /// Creates a session without values.
    ///
    /// Traps when `state` is not ``State/signedOut`` and there is no account.
    public init(state: State, account: String?, changedAt: Int64, signedInAt: Int64) {
        precondition(state == .signedOut || account != nil, "a session without an account is \(state)")
        self.state = state
        self.account = account
        self.changedAt = changedAt
        self.signedInAt = signedInAt
    }

    /// Returns the value with a name, or nil.
    public func value(named name: String) -> [UInt8]? {
        values.first { $0.name.equalsBytewise(name) }?.content
    }

    /// Sets the value with a name, or removes it; the name is no longer that of a secret.
    public mutating func setValue(_ content: [UInt8]?, named name: String) {
        values.removeAll { $0.name.equalsBytewise(name) }
        removeSecretName(name)
        if let content { values.append(Value(name: name, content: content)) }
    }

    /// Adds the name of a secret value, which is kept elsewhere; a value with the name is removed.
    public mutating func addSecretName(_ name: String) {
        values.removeAll { $0.name.equalsBytewise(name) }
        if !hasSecret(named: name) { secretNames.append(name) }
    }

    /// Removes the name of a secret.
    public mutating func removeSecretName(_ name: String) {
        secretNames.removeAll { $0.equalsBytewise(name) }
    }

    /// Whether a name is that of a secret.
    public func hasSecret(named name: String) -> Bool { secretNames.contains { $0.equalsBytewise(name) } }

    /// Removes all values; the names of secrets stay.
    public mutating func removeAllValues() { values = [] }

    /// Whether the session is this account's, byte for byte.
    public func isOf(_ account: String) -> Bool { self.account?.equalsBytewise(account) ?? false }

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.state("state", &state)
        coder.text(&account)
        coder.require(state == .signedOut || account != nil, "account", state.rawValue)
        coder.integer(&changedAt)
        coder.integer(&signedInAt)
        coder.list(&values, of: Value(name: "", content: [])) { coder, value in
            coder.text(&value.name)
            coder.bytes(&value.content)
        }
        coder.list(&secretNames, of: "") { $0.text(&$1) }
    }

    /// The key, ("session").
    package static var key: [UInt8] { TupleWriter.bytes { $0.append(text: "session") } }
}
