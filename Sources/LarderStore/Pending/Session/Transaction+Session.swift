internal import LarderEngine
public import LarderFormat

extension StoreReader where Self: ~Copyable & ~Escapable {
    /// Returns the stored session; nil when no account was ever signed in.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``.
    public borrowing func session() throws -> StoredSession? {
        let key = StoredSession.key
        return try tables.record(key.rawSpan, .meta, in: engine, StoredSession.init(decoding:))
    }

    /// Counts the content of an account that the server does not have; nil stands for content made where there are no
    /// accounts.
    ///
    /// Damaged writes belong to no account.
    ///
    /// - Throws: `EngineError`.
    /// - Complexity: O(*n*) for *n* entries, rings and points; the bodies of entries are not read.
    public borrowing func unsent(of account: String?) throws -> UnsentContent {
        var unsent = UnsentContent()
        for entry in try tables.readableEntries(in: engine) where entry.draft.account.equalsBytewise(account) {
            // An entry whose delivery cannot be read counts as not tried yet.
            unsent.add((try? tables.delivery(entry.id, in: engine))?.delivery.state ?? .pending)
        }
        for (name, record) in try tables.buffers(in: engine) where name.account.equalsBytewise(account) {
            unsent.points = unsent.points.clampedSum(record.pointCount)
        }
        return unsent
    }

    /// Counts the writes of other accounts that may still be sent, and whose effects readers see.
    ///
    /// Leaves out damaged entries, those made where there are no accounts, and rejected ones, whose overlays are
    /// removed.
    ///
    /// - Throws: ``EngineError``.
    /// - Complexity: O(*n*) for *n* entries, whose bodies are not read.
    package borrowing func writesOfOtherAccounts(than account: String) throws -> WritesOfOtherAccounts {
        var found: [(id: UUIDBytes, account: String)] = []
        try tables.forEachReadable(.outbox, prefix: OutboxKey.heads, in: engine) { _, body throws(FormatError) in
            let draft = try OutboxHeadRecord(decoding: body).draft
            return draft.account.map { (draft.id, $0) }
        } _: { (entry: (id: UUIDBytes, account: String)?) in
            if let entry, !entry.account.equalsBytewise(account) { found.append(entry) }
        }
        var writes = WritesOfOtherAccounts()
        for (id, other) in found {
            let state = (try? tables.delivery(id, in: engine))?.delivery.state ?? .pending
            if state == .rejected { continue }
            writes.unsent.add(state)
            if !writes.accounts.contains(where: { $0.equalsBytewise(other) }) { writes.accounts.append(other) }
        }
        return writes
    }
}

extension Transaction {
    /// Stores the session, with all its values, in place of the stored one.
    ///
    /// The commit is fully durable, whatever durability the write requested.
    ///
    /// - Throws: ``StoreError/invalid(_:)`` for a session of more than ``Limits/session`` bytes when encoded;
    ///   ``EngineError``.
    package mutating func putSession(_ session: StoredSession) throws {
        precondition(
            session.state == .signedOut || session.account != nil, "a session that is not signed out has an account")
        let body = session.encode()
        if body.count > Limits.session {
            throw StoreError.invalid(.payloadTooLarge(actual: body.count, limit: Limits.session))
        }
        writer.requireFullDurability()
        try put(body: body, key: StoredSession.key, in: .meta)
    }
}

/// The writes that other accounts have left unsent.
package struct WritesOfOtherAccounts: Hashable, Sendable {
    /// The accounts, each once.
    package var accounts: [String] = []
    /// The numbers of their writes.
    package var unsent = UnsentContent()
}

/// The numbers of an account's writes and points that the server does not have.
///
/// ```swift
/// let unsent = try await session.status.unsent
/// if unsent.isEmpty { print("nothing is left to send") }
/// print(unsent.pending + unsent.failed, "writes to send,", unsent.rejected, "refused by the server")
/// ```
public struct UnsentContent: Hashable, Sendable {
    /// The writes that are to be sent.
    public var pending = 0
    /// The writes whose attempts are used up; they can be revived.
    public var failed = 0
    /// The writes that the server refused, kept until the app handles them.
    public var rejected = 0
    /// The points in buffers.
    public var points = 0

    /// No content.
    public init() {}

    /// Whether nothing is left that may still be sent; rejected writes do not count.
    public var isEmpty: Bool { pending == 0 && failed == 0 && points == 0 }
}

extension Tables {
    /// Returns the entries whose heads can be read, rejected ones included; their deliveries are not read.
    func readableEntries(in source: ReadTransaction) throws -> [OutboxEntry] {
        var entries: [OutboxEntry] = []
        try forEachReadable(.outbox, prefix: OutboxKey.heads, in: source) { key, body throws(FormatError) in
            guard case .head(let lane, let sequence) = try OutboxKey(decoding: key) else { return nil }
            return OutboxEntry(
                try OutboxHeadRecord(decoding: body), OutboxDeliveryRecord(lane: lane, sequence: sequence))
        } _: { (entry: OutboxEntry?) in
            if let entry { entries.append(entry) }
        }
        return entries
    }
}

extension UnsentContent {
    fileprivate mutating func add(_ state: OutboxDelivery.State) {
        switch state {
        case .rejected: rejected += 1
        case .failed: failed += 1
        case .pending, .sending, .waiting, .unresolved, .conflicted: pending += 1
        }
    }
}

extension Optional where Wrapped == String {
    /// Returns whether both are nil, or the same byte for byte.
    func equalsBytewise(_ other: String?) -> Bool {
        switch (self, other) {
        case (nil, nil): true
        case (let left?, let right?): left.equalsBytewise(right)
        default: false
        }
    }
}
