public import HTTPTypes

/// Supplies the header fields that tell a server who asks. They are stamped at send and never stored.
public protocol Credentials: Sendable {
    /// The fields to send. A write that has none, because this throws, was not sent.
    ///
    /// - Parameters:
    ///   - account: whose write it is; nil: whoever is signed in, for what is asked for no account, and where there are none.
    ///   - isRefused: whether the last ones were refused (401): get new ones. What was refused though it was new is not
    ///     asked for again in the same run of a sync, and by an outbox after growing waits.
    func fields(for account: String?, isRefused: Bool) async throws -> HTTPFields
}

/// Credentials that never change, such as none.
public struct FixedCredentials: Credentials {
    private let fields: HTTPFields

    /// Always these fields.
    public init(_ fields: HTTPFields = [:]) {
        self.fields = fields
    }

    /// The fields, whoever asks, and whether refused or not.
    public func fields(for account: String?, isRefused: Bool) async -> HTTPFields { fields }
}
