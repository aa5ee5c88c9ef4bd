import Synchronization

/// The content of a sync server, wherever it is stored: pages of changes, snapshots and lists.
///
/// ``Origin`` keeps it in memory. A stored origin answers the same requests on any number of servers: tokens and cursors
/// carry their state, and are valid wherever the secret is the same.
public protocol SyncOrigin: Sendable {
    /// Signs tokens and cursors; the same on all servers of the content.
    var secret: TokenSecret { get }

    /// The time in milliseconds since 1970-01-01 UTC, by which the windows of rate limits are measured.
    var now: @Sendable () -> Int64 { get }

    /// Returns the page that a request names, as ``Origin/page(_:)``.
    ///
    /// - Throws: As ``Origin/page(_:)``; status 503 with `Retry-After` while the content cannot be read.
    func page(_ query: OriginQuery) async throws(OriginProblem) -> OriginPage

    /// Returns the snapshot of a public resource, as of now.
    ///
    /// - Parameters:
    ///   - resource: The name of the resource.
    ///   - version: What the snapshot includes at least, as the URL in a page names it; `nil` for any.
    /// - Throws: As ``Origin/snapshot(of:)``; status 503 with `Retry-After` while the content cannot be read.
    func snapshot(
        of resource: Origin.ResourceID, version: String?
    ) async throws(OriginProblem) -> OriginSnapshot

    /// Returns one page of the rows of a public resource in key order, as ``Origin/list(of:_:)``.
    ///
    /// - Throws: As ``Origin/list(of:_:)``; status 503 with `Retry-After` while the content cannot be read.
    func list(of resource: Origin.ResourceID, _ query: ListQuery) async throws(OriginProblem) -> [UInt8]

    /// Returns the resources that changed after a number, for the events of clients that listen.
    ///
    /// - Parameter sequence: The number of a change; above the latest where none is to be returned.
    /// - Throws: Status 503 with `Retry-After` while the content cannot be read.
    func changedResources(after sequence: Int64) async throws(OriginProblem) -> ChangedResources
}

/// The resources that changed after a number.
public struct ChangedResources: Hashable, Sendable {
    /// The largest number of changes whose resources are named.
    public static let mostChanges: Int64 = 100_000

    /// The number of the latest change; 0 before the first.
    public let sequence: Int64
    /// The resources; `nil` for any, where there were too many changes to look at, or the log has forgotten some.
    public let resources: Set<Origin.ResourceID>?

    /// Creates a list of the resources that changed.
    public init(sequence: Int64, resources: Set<Origin.ResourceID>?) {
        self.sequence = sequence
        self.resources = resources
    }
}

/// A content origin that commands can change. Each has the effects and the errors that it has on an ``Origin``.
///
/// All throw ``OriginError`` for a refused command, which changes nothing, and ``OriginProblem`` with status 503 while
/// the content cannot be changed.
public protocol EditableOrigin: SyncOrigin {
    /// The number of the latest change; 0 before the first.
    var sequence: Int64 { get async throws }

    /// Returns the rules of `group`: its own, or ``GroupTable/openRules``.
    func rules(of group: String) async throws -> GroupRules

    /// The names of the public resources, by group (UTF-8) and id.
    var publicResources: [Origin.ResourceID] { get async throws }

    /// The changes in the log, ascending: all of them, in memory.
    var changes: [Origin.Change] { get async throws }

    /// Returns the rows of a resource, public or hidden, as sent over the wire; `nil` when it was never created.
    func rows(of resource: Origin.ResourceID) async throws -> [Origin.Row]?

    /// Creates a resource and publishes it, as ``Origin/createResource(_:rows:)``.
    @discardableResult
    func createResource(_ resource: Origin.ResourceID, rows: [Origin.Row]) async throws -> Int64

    /// Replaces all rows of a resource at once, as ``Origin/replaceRows(of:with:)``.
    @discardableResult
    func replaceRows(of resource: Origin.ResourceID, with rows: [Origin.Row]) async throws -> Int64?

    /// Stores a row, as ``Origin/putRow(_:in:)``.
    @discardableResult
    func putRow(_ row: Origin.Row, in resource: Origin.ResourceID) async throws -> Int64?

    /// Deletes a row, as ``Origin/deleteRow(_:in:)``.
    @discardableResult
    func deleteRow(_ key: Origin.RowKey, in resource: Origin.ResourceID) async throws -> Int64?

    /// Hides a public resource, as ``Origin/hideResource(_:reason:)``.
    @discardableResult
    func hideResource(_ resource: Origin.ResourceID, reason: String?) async throws -> Int64

    /// Makes a hidden resource public again, as ``Origin/publishResource(_:)``.
    @discardableResult
    func publishResource(_ resource: Origin.ResourceID) async throws -> Int64

    /// Logs a confirmation of a public resource, as ``Origin/touchResource(_:)``.
    @discardableResult
    func touchResource(_ resource: Origin.ResourceID) async throws -> Int64

    /// Removes the changes below `sequence` from the log, as ``Origin/removeChanges(before:)``.
    func removeChanges(before sequence: Int64) async throws

    /// Makes every token and cursor issued so far invalid, as ``Origin/invalidateTokens()``.
    func invalidateTokens() async throws
}

extension SyncOrigin {
    /// Returns the snapshot of a public resource, as of now.
    ///
    /// - Throws: As ``Origin/snapshot(of:)``; status 503 with `Retry-After` while the content cannot be read.
    public func snapshot(of resource: Origin.ResourceID) async throws(OriginProblem) -> OriginSnapshot {
        try await snapshot(of: resource, version: nil)
    }
}

extension Origin: EditableOrigin {
    /// Returns the snapshot of a public resource, as of now, whatever version is requested.
    ///
    /// - Throws: As ``snapshot(of:)``.
    public func snapshot(
        of resource: ResourceID, version: String?
    ) throws(OriginProblem) -> OriginSnapshot { try snapshot(of: resource) }

    /// Returns the resources that changed after a number.
    ///
    /// - Complexity: O(*n*) for *n* changes after the number.
    public func changedResources(after sequence: Int64) -> ChangedResources {
        state.withLock { state in
            guard sequence < state.sequence else { return ChangedResources(sequence: state.sequence, resources: []) }
            let isKnown =
                sequence >= state.removedThrough && state.sequence - sequence <= ChangedResources.mostChanges
            let changes = state.log.reversed().prefix { $0.sequence > sequence }
            return ChangedResources(
                sequence: state.sequence, resources: isKnown ? Set(changes.map(\.resource)) : nil)
        }
    }
}
