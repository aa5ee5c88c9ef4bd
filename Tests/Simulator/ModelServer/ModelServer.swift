// ModelServer: a content-sync server in memory with its complete history, which simulated clients are compared with.

/// A content-sync server in memory that remembers everything it ever was: what simulated clients are compared with.
///
/// A value, synchronous and without a clock: the same operations give the same bytes. Resources, rows and changes are
/// few, so that lists serve better than tables.
package struct ModelServer: Sendable {
    /// What the server answers to a token that is ahead of what it knows.
    package enum TokenAhead: Hashable, Sendable {
        /// 503 from a replica that lags; 410 from a server that was restored.
        case unavailable
        /// 410.
        case refused
        /// An empty page whose bound is below that of the run that gave the token.
        case answered
    }

    /// How large the server's content may grow by ``nextMutation(using:)``, and how long its log.
    package struct Shape: Hashable, Sendable {
        /// The groups, each of letters, digits and `_`.
        package var groups: [String]
        /// How many resources a group has at most.
        package var resourcesPerGroup: Int
        /// How many rows of each type a resource has at most.
        package var rowsPerType: Int
        /// How many changes the log holds before the oldest are forgotten.
        package var logLimit: Int
        /// What the server answers to a token that is ahead of what it knows.
        package var tokenAhead: TokenAhead

        /// Limits of a small server.
        package init(
            groups: [String] = ["notes", "recitations", "translations"], resourcesPerGroup: Int = 3,
            rowsPerType: Int = 6, logLimit: Int = 200, tokenAhead: TokenAhead = .unavailable
        ) {
            self.groups = groups
            self.resourcesPerGroup = resourcesPerGroup
            self.rowsPerType = rowsPerType
            self.logLimit = logLimit
            self.tokenAhead = tokenAhead
        }
    }

    /// How large the server may grow.
    package let shape: Shape
    /// The number of the latest change; 0 before the first.
    package internal(set) var sequence: Int64 = 0
    /// Changes up to this number are forgotten.
    package internal(set) var horizon: Int64 = 0
    /// How often the server was restored from a backup.
    package internal(set) var timeline = 0
    /// The resources whose snapshots are unavailable, each with the status that is answered; 200 stands for a body that
    /// is no snapshot.
    package var broken: [ResourceID: Int] = [:]
    /// In the order of their creation; deleted ones stay, with nothing to show.
    var resources: [Resource] = []
    /// The remembered changes, ascending.
    var log: [Change] = []
    /// What the server was before each restoration.
    var past: [SavedState] = []
    /// Which row each payload was ever given to.
    var issued: [String: IssuedRow] = [:]

    /// A server without content.
    package init(shape: Shape = Shape()) {
        precondition(shape.logLimit > 0 && shape.resourcesPerGroup > 0 && shape.rowsPerType > 0, "an empty shape")
        self.shape = shape
    }
}

extension ModelServer {
    /// One resource, and all that was ever public of it in this era.
    struct Resource: Sendable {
        let id: ResourceID
        /// Ascending by sequence, never empty.
        var versions: [Version]
        /// What a hidden resource holds; `nil` while it is public, and once it is deleted.
        var hidden: [Row]?
        var schemaVersion: Int64 = 1

        var content: Content? { versions.last?.content }

        /// What was public at `sequence`.
        func content(at sequence: Int64) -> Content? { versions.last { $0.sequence <= sequence }?.content }
    }

    /// What is public of a resource from one change on.
    struct Version: Sendable {
        let sequence: Int64
        let content: Content?
    }

    /// What is public of a resource.
    struct Content: Sendable {
        /// Ascending by name.
        var rows: [Row]
        /// The number of the change that made the resource public.
        let publishedAt: Int64
        let schemaVersion: Int64
    }

    /// A change in the log.
    struct Change: Sendable {
        enum Kind: Sendable {
            case rowCreate(Row), rowUpdate(Row), rowDelete(RowID)
            case create, invalidate, update
            case delete(reason: String)
        }

        let sequence: Int64
        /// The place of the resource.
        let resource: Int
        let kind: Kind
    }

    /// An era that a restoration ended.
    struct SavedState: Sendable {
        let resources: [Resource]
        let sequence: Int64
    }

    /// The row that a payload was given to.
    struct IssuedRow: Sendable {
        let resource: ResourceID
        let row: RowID
    }

    /// The place of a resource in ``resources``.
    func place(of id: ResourceID) -> Int? { resources.firstIndex { $0.id == id } }
}
