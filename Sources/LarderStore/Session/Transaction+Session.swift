internal import LarderEngine
internal import LarderFormat

extension Tables {
    func session<Source: TableReader & ~Copyable>(in source: borrowing Source) throws -> StoredSession? {
        let key = SessionRecord.key
        return try record(key.rawSpan, .meta, in: source, SessionRecord.init(decoding:)).map(StoredSession.init)
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
}

extension Transaction {
    /// Who is signed in, this transaction's own changes included; nil when nobody ever was.
    public borrowing func session() throws -> StoredSession? { try tables.session(in: engine) }

    /// Remembers who is signed in, with all values, in place of what was remembered.
    ///
    /// The commit is fully durable, whatever durability the write asked for.
    ///
    /// - Throws: ``StoreError/invalid(_:)`` for values that take more than ``Limits/session`` bytes together.
    public mutating func putSession(_ session: StoredSession) throws {
        precondition(session.state == .signedOut || session.account != nil, "a session is somebody's")
        let body = session.record.encode()
        if body.count > Limits.session {
            throw StoreError.invalid(.payloadTooLarge(actual: body.count, limit: Limits.session))
        }
        engine.requireFullDurability()
        try put(body: body, key: SessionRecord.key, in: .meta)
    }

    /// What an account has not got rid of yet, this transaction's own changes included.
    public borrowing func unsent(of account: String?) throws -> UnsentContent {
        try tables.unsent(of: account, in: engine)
    }
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
            switch try delivery(id, in: source)?.state ?? .pending {
            case .rejected: unsent.rejected += 1
            case .failed: unsent.failed += 1
            case .pending, .sending, .waiting, .unresolved, .conflicted: unsent.pending += 1
            }
        }
        for (name, record) in try buffers(in: source) where name.account.isBytewise(account) {
            unsent.points += Int(clamping: record.pointCount)
        }
        return unsent
    }

    /// The entries of an account, the rejected ones among them.
    func entryIDs<Source: TableReader & ~Copyable>(
        of account: String?, in source: borrowing Source
    ) throws -> [UUIDBytes] {
        var ids: [UUIDBytes] = []
        try forEach(.outbox, prefix: [], in: source) { key, body in
            let record = try decoding(.outbox) { () throws(FormatError) -> OutboxRecord? in
                // Deliveries lie behind all lanes.
                guard case .entry = try OutboxKey(decoding: key) else { return nil }
                return try OutboxRecord(decoding: body)
            }
            guard let record else { return false }
            if record.account.isBytewise(account) { ids.append(record.entryID) }
            return true
        }
        return ids
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
