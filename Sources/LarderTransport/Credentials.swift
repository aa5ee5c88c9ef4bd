public import HTTPTypes

/// Supplies the header fields that authenticate a request. They are added at each send and never stored.
///
/// ```swift
/// struct TokenCredentials: Credentials {
///     let source: TokenSource
///
///     func fields(for account: String?, isRefused: Bool) async throws -> HTTPFields {
///         let token = try await source.token(isNew: isRefused)  // refused: the last token is no longer valid
///         return [.authorization: "Bearer \(token)"]
///     }
/// }
/// ```
public protocol Credentials: Sendable {
    /// Returns the fields to send.
    ///
    /// - Parameters:
    ///   - account: The account of the write; nil for the signed-in account, for requests without an account, and where
    ///     there are no accounts.
    ///   - isRefused: Whether the server refused the last fields (401), so that new ones are needed. When it refuses
    ///     the new ones too, a sync does not request others in the same run, and an outbox does so after growing waits.
    /// - Throws: Any error when there are no fields; the write is then not sent.
    func fields(for account: String?, isRefused: Bool) async throws -> HTTPFields
}

/// Credentials that never change, such as none.
///
/// ```swift
/// let sync = ContentSync(
///     store: store, transport: transport, configuration: configuration,
///     credentials: FixedCredentials([.authorization: "Bearer \(token)"]))
/// print(try await sync.sync(filter))  // every request has the field; it is never stored
/// ```
public struct FixedCredentials: Credentials {
    private let fields: HTTPFields

    /// Creates credentials that are always these fields.
    public init(_ fields: HTTPFields = [:]) {
        self.fields = fields
    }

    /// Returns the fields, for every account, whether refused or not.
    public func fields(for account: String?, isRefused: Bool) async -> HTTPFields { fields }
}
