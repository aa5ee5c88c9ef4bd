import Synchronization

/// The content of a sync server: groups of resources of rows, and the log of their changes.
///
/// Everything is in memory. The clock and the secret that signs tokens are parameters, so the same commands always give
/// the same responses. Safe to use from any thread; a command blocks while another command runs.
///
/// ```swift
/// let origin = Origin(secret: secret) { milliseconds() }
/// try origin.createResource(.init("translations", 19), rows: [
///     .init(type: "translation", key: "85108", #"{"id":85108,"verse_key":"26:153","text":"…"}"#)
/// ])
/// try await OriginServer.run(origin) { baseURL in … }
/// ```
///
/// A sync server gives these guarantees. Changes get ascending numbers. A run returns exactly the changes up to the
/// number at its start. A token comes only with a run's last page and is valid only for the filter it was made for. A
/// snapshot is the rows at one time and contains the number of the latest change at that time. A request for forgotten
/// changes is refused, and the client must bootstrap again.
public final class Origin: Sendable {
    let state: Mutex<OriginState>
    let signer: TicketSigner
    /// The time in milliseconds since 1970-01-01 UTC.
    public let now: @Sendable () -> Int64

    /// Creates an origin without content.
    ///
    /// - Parameters:
    ///   - secret: Signs tokens and cursors. Tokens are valid as long as the secret and the content's history are the
    ///     same. A server that starts with a new history uses a new secret, and so refuses all older tokens.
    ///   - schemaVersion: The value of `schema_version` in snapshots.
    ///   - groups: The groups it knows; a resource of another group may be created at any time and follows
    ///     ``GroupTable/openRules``.
    ///   - changeLimit: The minimum number of changes it keeps, 1 and above. Runs that need older ones must bootstrap
    ///     again.
    ///   - now: The time in milliseconds since 1970-01-01 UTC; within the years 1970 to 9999.
    public init(
        secret: TokenSecret, schemaVersion: Int64 = 1, groups: GroupTable = .standard, changeLimit: Int = 1_000_000,
        now: @escaping @Sendable () -> Int64
    ) {
        precondition(changeLimit >= 1, "an origin remembers at least one change, not \(changeLimit)")
        state = Mutex(OriginState(schemaVersion: schemaVersion, groups: groups, changeLimit: changeLimit))
        signer = TicketSigner(secret: secret)
        self.now = now
    }

    /// Signs tokens and cursors.
    public var secret: TokenSecret { signer.secret }

    /// The number of the latest change; 0 before the first.
    public var sequence: Int64 { state.withLock { $0.sequence } }

    /// The value of `schema_version` in snapshots.
    public var schemaVersion: Int64 {
        get { state.withLock { $0.schemaVersion } }
        set { state.withLock { $0.schemaVersion = newValue } }
    }

    /// The rules of `group`: its own, or ``GroupTable/openRules``.
    public func rules(of group: String) -> GroupRules { state.withLock { $0.rules(of: group) } }

    /// The names of the public resources, by group (UTF-8) and id.
    public var publicResources: [ResourceID] {
        let names = state.withLock { state in state.resources.filter { $0.value.published != nil }.map(\.key) }
        return names.sorted {
            $0.group == $1.group ? $0.id < $1.id : $0.group.utf8.lexicographicallyPrecedes($1.group.utf8)
        }
    }

    /// Returns the rows of a resource, public or hidden, as sent over the wire; `nil` when it was never created.
    public func rows(of resource: ResourceID) -> [Row]? {
        let table = state.withLock { $0.resources[resource]?.rows }
        return table?.entries.compactMap { entry in entry.map { Row($0.key, body: $0.body) } }
    }

    /// The changes in the log, ascending.
    public var changes: [Change] { state.withLock { $0.log } }
}
