/// Decides conflicts: a name for the journal, and a rule.
public struct ConflictPolicy: Sendable {
    /// One word, kept with each conflict that it settles.
    public var name: String
    /// The rule. It may take its time; what it throws leaves the conflict to the host.
    public var decide: @Sendable (Conflict) async throws -> ConflictResolution

    /// A policy of the host's.
    ///
    /// - Parameter name: one word.
    public init(_ name: String, _ decide: @escaping @Sendable (Conflict) async throws -> ConflictResolution) {
        self.name = name
        self.decide = decide
    }

    /// Every conflict waits for the host.
    public static let host = ConflictPolicy("host") { _ in .leave }

    /// The server's word counts.
    public static let serverWins = ConflictPolicy("server-wins") { _ in .keepRemote }

    /// The write made last counts, by the server's revisions; by the clocks only where these tell nothing.
    ///
    /// A server that holds a higher revision than the write was made from has the last word. With the same one, or none on
    /// one of the sides, the local write counts only if it was made strictly later; a tie, and a time that is not known, go to
    /// the server. What the server does not tell cannot be compared, and the server's counts.
    public static let lastWriteWins = ConflictPolicy("last-write-wins") { conflict in
        guard let remote = conflict.remote else { return .keepRemote }
        return conflict.local.isLater(than: remote, basedOn: conflict.base) ? .keepLocal : .keepRemote
    }
}

extension Conflict.Side {
    /// Whether this write of the device comes after what the server holds.
    func isLater(than remote: Conflict.Side, basedOn base: Conflict.Side?) -> Bool {
        if let known = base?.revision ?? revision, let held = remote.revision, known != held { return known > held }
        guard let updatedAt, let held = remote.updatedAt else { return false }
        return updatedAt > held
    }
}
