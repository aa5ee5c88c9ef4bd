/// The record `meta` ("session"): who is signed in, and the values that steer the session.
///
/// FORMAT.md, "meta". At most ``Limits/session`` bytes when encoded.
package struct SessionRecord: Hashable, Sendable {
    /// How the session is.
    package enum State: Int64, Sendable, CaseIterable {
        /// Nobody is signed in.
        case signedOut = 0
        /// The account is signed in.
        case signedIn = 1
        /// The account is signed in, and the server does not take its credentials any more.
        case expired = 2
    }

    /// A value that the host named.
    package struct Value: Hashable, Sendable {
        /// The name.
        package var name: String
        /// The value.
        package var content: [UInt8]

        /// A value of these parts.
        package init(name: String, content: [UInt8]) {
            self.name = name
            self.content = content
        }
    }

    /// How the session is.
    package var state: State
    /// Whose it is; nil only in state `signedOut`.
    package var account: String?
    /// When the state last changed, in milliseconds since 1970-01-01 UTC.
    package var changedAt: Int64
    /// When somebody last signed in, likewise.
    package var signedInAt: Int64
    /// The values that are not secret.
    package var values: [Value]
    /// The names of those that are, which lie elsewhere.
    package var secretNames: [String]

    /// A session without values.
    package init(state: State, account: String?, changedAt: Int64, signedInAt: Int64) {
        self.state = state
        self.account = account
        self.changedAt = changedAt
        self.signedInAt = signedInAt
        values = []
        secretNames = []
    }

    /// Reads a body.
    package init(decoding body: RawSpan) throws(FormatError) {
        var reader = TupleReader(body)
        state = try reader.state("state", as: State.self)
        account = try reader.optionalText()
        if state != .signedOut, account == nil { throw .invalidValue(field: "account", value: state.rawValue) }
        changedAt = try reader.integer()
        signedInAt = try reader.integer()
        values = []
        let list = try reader.bytes()
        var listReader = TupleReader(list.rawSpan)
        while !listReader.isAtEnd {
            values.append(Value(name: try listReader.text(), content: try listReader.bytes()))
        }
        secretNames = []
        let names = try reader.bytes()
        var nameReader = TupleReader(names.rawSpan)
        while !nameReader.isAtEnd { secretNames.append(try nameReader.text()) }
    }

    /// The body.
    package func encode() -> [UInt8] {
        var writer = TupleWriter()
        writer.append(integer: state.rawValue)
        writer.append(optionalText: account)
        writer.append(integer: changedAt)
        writer.append(integer: signedInAt)
        var list = TupleWriter()
        for value in values {
            list.append(text: value.name)
            list.append(bytes: value.content)
        }
        writer.append(bytes: list.bytes)
        var names = TupleWriter()
        for name in secretNames { names.append(text: name) }
        writer.append(bytes: names.bytes)
        return writer.bytes
    }

    /// The key, ("session").
    package static var key: [UInt8] {
        var writer = TupleWriter()
        writer.append(text: "session")
        return writer.bytes
    }
}
