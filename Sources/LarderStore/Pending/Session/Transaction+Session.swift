internal import LarderEngine
public import LarderFormat

extension Tables {
    func session<Source: TableReader & ~Copyable>(in source: borrowing Source) throws -> StoredSession? {
        let key = StoredSession.key
        return try record(key.rawSpan, .meta, in: source, StoredSession.init(decoding:))
    }
}

extension ReadView {
    /// Who is signed in; nil when nobody ever was.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``.
    public borrowing func session() throws -> StoredSession? { try tables.session(in: transaction) }

    /// What an account has not got rid of yet; nil stands for what was made where there are no accounts.
    ///
    /// - Complexity: O(*n*) for *n* entries, bodies included.
    public borrowing func unsent(of account: String?) throws -> UnsentContent {
        try tables.unsent(of: account, in: transaction)
    }

    /// The writes of other accounts that the server may still get, whose effects readers see; entries that cannot be
    /// read and those made where there are no accounts are nobody's.
    ///
    /// - Complexity: O(*n*) for *n* entries, bodies included.
    package borrowing func writesOfOthers(than account: String) throws -> WritesOfOthers {
        try tables.writesOfOthers(than: account, in: transaction)
    }
}

extension Transaction {
    /// Who is signed in, this transaction's own changes included; nil when nobody ever was.
    public borrowing func session() throws -> StoredSession? { try tables.session(in: engine) }

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
        engine.requireFullDurability()
        try put(body: body, key: StoredSession.key, in: .meta)
    }

    /// What an account has not got rid of yet, this transaction's own changes included.
    public borrowing func unsent(of account: String?) throws -> UnsentContent {
        try tables.unsent(of: account, in: engine)
    }

    /// The writes of other accounts that the server may still get, this transaction's own changes included.
    package borrowing func writesOfOthers(than account: String) throws -> WritesOfOthers {
        try tables.writesOfOthers(than: account, in: engine)
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
    func unsent<Source: TableReader & ~Copyable>(
        of account: String?, in source: borrowing Source
    ) throws -> UnsentContent {
        var unsent = UnsentContent()
        for id in try entryIDs(of: account, in: source) {
            // One without a delivery was not tried yet, as far as anybody can tell.
            unsent.count(try delivery(id, in: source)?.delivery.state ?? .pending)
        }
        for (name, record) in try buffers(in: source) where name.account.isBytewise(account) {
            unsent.points = unsent.points.clampedSum(record.pointCount)
        }
        return unsent
    }

    /// The rejected ones are not among them: what they did to rows was rolled back.
    func writesOfOthers<Source: TableReader & ~Copyable>(
        than account: String, in source: borrowing Source
    ) throws -> WritesOfOthers {
        var found: [(id: UUIDBytes, account: String)] = []
        try forEachReadable(.outbox, prefix: OutboxKey.heads, in: source) { _, body throws(FormatError) in
            let draft = try OutboxHeadRecord(decoding: body).draft
            return draft.account.map { (draft.id, $0) }
        } _: { (entry: (id: UUIDBytes, account: String)?) in
            if let entry, !entry.account.equalsBytewise(account) { found.append(entry) }
        }
        var writes = WritesOfOthers()
        for (id, other) in found {
            let state = (try? delivery(id, in: source))?.delivery.state ?? .pending
            if state == .rejected { continue }
            writes.unsent.count(state)
            if !writes.accounts.contains(where: { $0.equalsBytewise(other) }) { writes.accounts.append(other) }
        }
        return writes
    }

    /// The entries of an account, the rejected ones among them.
    func entryIDs<Source: TableReader & ~Copyable>(
        of account: String?, in source: borrowing Source
    ) throws -> [UUIDBytes] {
        var ids: [UUIDBytes] = []
        try forEach(.outbox, prefix: OutboxKey.heads, in: source) { _, body in
            let record = try decoding(.outbox) { () throws(FormatError) in try OutboxHeadRecord(decoding: body) }
            if record.draft.account.isBytewise(account) { ids.append(record.draft.id) }
            return true
        }
        return ids
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
