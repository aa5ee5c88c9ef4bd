internal import LarderFormat

/// Who is signed in, as the store remembers it, with the values that steer the session.
///
/// Nothing in it is secret: secrets lie where the host keeps secrets, and only their names are here.
public struct StoredSession: Hashable, Sendable {
    /// How a session is.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// Nobody is signed in.
        case signedOut
        /// The account is signed in.
        case signedIn
        /// The account is signed in, and the server does not take its credentials any more.
        case expired
    }

    /// A value that the host named.
    public struct Value: Hashable, Sendable {
        /// The name; names are told apart byte for byte.
        public let name: String
        /// The value.
        public let content: [UInt8]

        /// A value of these parts.
        public init(name: String, content: [UInt8]) {
            self.name = name
            self.content = content
        }
    }

    /// How the session is.
    public var state: State
    /// Whose it is. Nil when nobody is signed in, unless secrets of who was are still to be removed.
    public var account: String?
    /// When the state last changed, in milliseconds since 1970-01-01 UTC.
    public var changedAt: Int64
    /// When somebody last signed in, likewise.
    public var signedInAt: Int64
    /// The values, none of which is secret; no two have the same name.
    public private(set) var values: [Value] = []
    /// The names of the values that are secret, once each.
    public private(set) var secretNames: [String] = []

    /// A session without values.
    public init(state: State, account: String?, changedAt: Int64, signedInAt: Int64) {
        precondition(state == .signedOut || account != nil, "somebody without an account is \(state)")
        self.state = state
        self.account = account
        self.changedAt = changedAt
        self.signedInAt = signedInAt
    }

    /// The value of a name, or nil.
    public func value(named name: String) -> [UInt8]? {
        values.first { $0.name.equalsBytewise(name) }?.content
    }

    /// Sets the value of a name, or removes it; the name is not one of a secret any more.
    public mutating func setValue(_ content: [UInt8]?, named name: String) {
        values.removeAll { $0.name.equalsBytewise(name) }
        removeSecretName(name)
        if let content { values.append(Value(name: name, content: content)) }
    }

    /// Notes that a value is secret, and lies elsewhere.
    public mutating func addSecretName(_ name: String) {
        values.removeAll { $0.name.equalsBytewise(name) }
        if !hasSecret(named: name) { secretNames.append(name) }
    }

    /// Forgets a secret.
    public mutating func removeSecretName(_ name: String) {
        secretNames.removeAll { $0.equalsBytewise(name) }
    }

    /// Whether a name is that of a secret.
    public func hasSecret(named name: String) -> Bool { secretNames.contains { $0.equalsBytewise(name) } }

    /// Removes all values; the names of secrets stay.
    public mutating func removeAllValues() { values = [] }

    /// Whether the session is this account's, byte for byte.
    public func isOf(_ account: String) -> Bool { self.account?.equalsBytewise(account) ?? false }
}

extension StoredSession {
    init(record: SessionRecord) {
        state =
            switch record.state {
            case .signedOut: .signedOut
            case .signedIn: .signedIn
            case .expired: .expired
            }
        account = record.account
        changedAt = record.changedAt
        signedInAt = record.signedInAt
        values = record.values.map { Value(name: $0.name, content: $0.content) }
        secretNames = record.secretNames
    }

    var record: SessionRecord {
        let stored: SessionRecord.State =
            switch state {
            case .signedOut: .signedOut
            case .signedIn: .signedIn
            case .expired: .expired
            }
        var record = SessionRecord(state: stored, account: account, changedAt: changedAt, signedInAt: signedInAt)
        record.values = values.map { SessionRecord.Value(name: $0.name, content: $0.content) }
        record.secretNames = secretNames
        return record
    }
}
