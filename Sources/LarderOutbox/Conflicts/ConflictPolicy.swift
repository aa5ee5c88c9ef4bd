/// A rule that decides conflicts, and its name for the journal.
public struct ConflictPolicy: Sendable {
    /// One word, recorded with each conflict that the policy resolves.
    public var name: String
    /// The rule. Its duration is not limited; an error leaves the conflict to the host.
    public var decide: @Sendable (Conflict) async throws -> ConflictResolution

    /// A policy of the host's.
    ///
    /// - Parameters:
    ///   - name: one word.
    ///   - decide: the rule; an error leaves the conflict to the host.
    public init(_ name: String, _ decide: @escaping @Sendable (Conflict) async throws -> ConflictResolution) {
        self.name = name
        self.decide = decide
    }

    /// Leaves every conflict to the host.
    public static let host = ConflictPolicy("host") { _ in .deferToHost }

    /// Keeps the server's version.
    public static let serverWins = ConflictPolicy("server-wins") { _ in .keepRemote }

    /// Keeps the version written last, by the server's revisions; by the clocks only where these decide nothing.
    ///
    /// A server that holds a higher revision than the write was made from wins. With the same one, or none on one of
    /// the sides, the local write wins only if it was made strictly later. A tie or an unknown time favours the server,
    /// and so does an unknown version of the server.
    public static let lastWriteWins = ConflictPolicy("last-write-wins") { conflict in
        guard let remote = conflict.remote else { return .keepRemote }
        return conflict.local.isLater(than: remote, basedOn: conflict.base) ? .keepLocal : .keepRemote
    }
}

extension Conflict.Side {
    /// Whether this version of the device was written after the server's.
    func isLater(than remote: Conflict.Side, basedOn base: Conflict.Side?) -> Bool {
        if let known = base?.revision ?? revision, let held = remote.revision, known != held { return known > held }
        guard let updatedAt, let held = remote.updatedAt else { return false }
        return updatedAt > held
    }
}
