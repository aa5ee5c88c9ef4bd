internal import LarderEngine
public import LarderFormat

extension StoreReader where Self: ~Copyable & ~Escapable {
    /// Who is signed in; nil when nobody ever was.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``.
    public borrowing func session() throws -> StoredSession? {
        let key = StoredSession.key
        return try tables.record(key.rawSpan, .meta, in: engine, StoredSession.init(decoding:))
    }

    /// What an account has not got rid of yet; nil stands for what was made where there are no accounts. Damaged writes are
    /// no account's.
    ///
    /// - Complexity: O(*n*) for *n* entries, bodies included.
    public borrowing func unsent(of account: String?) throws -> UnsentContent {
        var unsent = UnsentContent()
        for entry in try tables.readableEntries(in: engine) where entry.draft.account.isBytewise(account) {
            // Where its delivery cannot be read, it was not tried yet, as far as can be known.
            unsent.count((try? tables.delivery(entry.id, in: engine))?.delivery.state ?? .pending)
        }
        for (name, record) in try tables.buffers(in: engine) where name.account.isBytewise(account) {
            unsent.points = unsent.points.clampedSum(record.pointCount)
        }
        return unsent
    }

    /// The writes of other accounts that the server may still get, whose effects readers see; entries that cannot be
    /// read and those made where there are no accounts are nobody's, and what rejected ones did to rows was rolled back.
    ///
    /// - Complexity: O(*n*) for *n* entries, bodies included.
    package borrowing func writesOfOthers(than account: String) throws -> WritesOfOthers {
        var found: [(id: UUIDBytes, account: String)] = []
        try tables.forEachReadable(.outbox, prefix: OutboxKey.heads, in: engine) { _, body throws(FormatError) in
            let draft = try OutboxHeadRecord(decoding: body).draft
            return draft.account.map { (draft.id, $0) }
        } _: { (entry: (id: UUIDBytes, account: String)?) in
            if let entry, !entry.account.equalsBytewise(account) { found.append(entry) }
        }
        var writes = WritesOfOthers()
        for (id, other) in found {
            let state = (try? tables.delivery(id, in: engine))?.delivery.state ?? .pending
            if state == .rejected { continue }
            writes.unsent.count(state)
            if !writes.accounts.contains(where: { $0.equalsBytewise(other) }) { writes.accounts.append(other) }
        }
        return writes
    }
}

extension Transaction {
    /// Remembers who is signed in, with all values, in place of what was remembered.
    ///
    /// The commit is fully durable, whatever durability the write asked for.
    ///
    /// - Throws: ``StoreError/invalid(_:)`` for values that take more than ``Limits/session`` bytes together.
    package mutating func putSession(_ session: StoredSession) throws {
        precondition(session.state == .signedOut || session.account != nil, "a session is somebody's")
        let body = session.encode()
        if body.count > Limits.session {
            throw StoreError.invalid(.payloadTooLarge(actual: body.count, limit: Limits.session))
        }
        writer.requireFullDurability()
        try put(body: body, key: StoredSession.key, in: .meta)
    }
}

/// Writes that accounts have left behind.
package struct WritesOfOthers: Hashable, Sendable {
    /// Whose they are, each once.
    package var accounts: [String] = []
    /// How many.
    package var unsent = UnsentContent()
}

/// What an account made, and the server does not have.
public struct UnsentContent: Hashable, Sendable {
    /// The writes that are to be sent.
    public var pending = 0
    /// The writes whose attempts are used up; they can be revived.
    public var failed = 0
    /// The writes that the server refused, kept until somebody looks at them.
    public var rejected = 0
    /// The points in buffers.
    public var points = 0

    /// Nothing.
    public init() {}

    /// Whether the server may still get all there is.
    public var isEmpty: Bool { pending == 0 && failed == 0 && points == 0 }
}

extension Tables {
    /// The entries, the rejected ones among them, as far as their heads can be read; their deliveries are not looked at.
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
    fileprivate mutating func count(_ state: OutboxDelivery.State) {
        switch state {
        case .rejected: rejected += 1
        case .failed: failed += 1
        case .pending, .sending, .waiting, .unresolved, .conflicted: pending += 1
        }
    }
}

extension Optional where Wrapped == String {
    /// Whether both are nil, or the same byte for byte.
    func isBytewise(_ other: String?) -> Bool {
        switch (self, other) {
        case (nil, nil): true
        case (let left?, let right?): left.equalsBytewise(right)
        default: false
        }
    }
}
