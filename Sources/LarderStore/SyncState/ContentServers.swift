internal import LarderEngine
internal import LarderFormat

// Tokens, applied sequences, unsent writes and keyed objects mean something to one server only: the store keeps which.

/// The content of a store that is of one server.
public enum ServerContent: String, Hashable, Sendable, CaseIterable {
    /// Tokens of filters, and the resources that they brought.
    case sync
    /// Entries of the outbox, and points of buffers.
    case outbox
    /// Keyed objects and their collections.
    case objects
}

/// A store holds content of another server than the one that is configured. Nothing was sent, and nothing was changed.
///
/// The ways out: if both are the same server under two names, ``Store/adopt(_:)``; to give up what is stored and start
/// over, ``Store/clear(discardingUnsent:)``; to keep both, a store in another directory for the other server. Unsent
/// writes can also be sent first, under the configuration that they were made with.
public struct ServerMismatch: Error, Hashable, Sendable {
    /// The content.
    public let content: ServerContent
    /// The server that it is of.
    public let stored: String
    /// The server that was to be asked.
    public let configured: String
}

extension ServerMismatch: CustomStringConvertible {
    /// What happened and the remedies, in one line.
    public var description: String {
        let what =
            switch content {
            case .sync: "The synced content"
            case .outbox: "What waits to be sent"
            case .objects: "The stored objects"
            }
        return """
            \(what) belongs to \(stored), and \(configured) is configured. Nothing was sent or removed. If both are one \
            server: Store.adopt(_:). To start over: Store.clear(discardingUnsent:). To keep both: another directory.
            """
    }
}

extension ReadView {
    /// The server that a kind of content is of; nil while there was none.
    ///
    /// A record that is damaged says nothing; `verify` reports it.
    public borrowing func server(of content: ServerContent) throws -> String? {
        try tables.servers(in: transaction)[keyPath: content.field]
    }

    /// Throws where content is of another server than this one.
    ///
    /// - Throws: ``ServerMismatch``.
    package borrowing func checkServer(_ server: String, of content: ServerContent) throws {
        guard let stored = try self.server(of: content), !stored.equalsBytewise(server) else { return }
        throw ServerMismatch(content: content, stored: stored, configured: server)
    }
}

extension Transaction {
    /// The server that a kind of content is of; nil while there was none.
    package func server(of content: ServerContent) throws -> String? {
        try tables.servers(in: engine)[keyPath: content.field]
    }

    /// Notes that content is of a server, unless some is there that is of another.
    ///
    /// Positions that own writes or the program have left are no content, but count as the outbox's server does, or where there is none
    /// as the sync server before did: a new timeline lets no change of another server fall below them.
    ///
    /// - Throws: ``ServerMismatch``.
    package mutating func bindServer(_ server: String, to content: ServerContent) throws {
        var servers = try tables.servers(in: engine)
        if let stored = servers[keyPath: content.field] {
            if stored.equalsBytewise(server) { return }
            // A server that nothing ever came from, be it for a typing error, is no server of the content.
            if try tables.holdsAny(content, in: engine) {
                throw ServerMismatch(content: content, stored: stored, configured: server)
            }
        }
        let counting: String? =
            switch content {
            case .sync: servers.outbox ?? servers.sync
            case .outbox: servers.outbox
            case .objects: nil
            }
        if let counting, !counting.equalsBytewise(server) { try beginTimeline() }
        servers[keyPath: content.field] = server
        try put(body: servers.encode(), key: ServersRecord.key, in: .meta)
    }

    /// Forgets all servers, once no content is left. Records of `meta` are never removed.
    mutating func forgetServers() throws {
        if try tables.servers(in: engine) == ServersRecord() { return }
        try put(body: ServersRecord().encode(), key: ServersRecord.key, in: .meta)
    }
}

extension Store {
    /// Says that the content is of the server that was configured: the same one as before, under another name.
    ///
    /// Does nothing when the content has another server by now than the mismatch says.
    ///
    /// - Throws: as ``write(durability:_:)``.
    public func adopt(_ mismatch: ServerMismatch) async throws {
        try await write { transaction in
            var servers = try transaction.tables.servers(in: transaction.engine)
            let field = mismatch.content.field
            guard servers[keyPath: field]?.equalsBytewise(mismatch.stored) == true else { return }
            servers[keyPath: field] = mismatch.configured
            try transaction.put(body: servers.encode(), key: ServersRecord.key, in: .meta)
        }
    }

    /// As ``Transaction/bindServer(_:to:)``, with a commit only where something changes.
    package func bindServer(_ server: String, to content: ServerContent) async throws {
        let isBound = try read { view in try view.server(of: content)?.equalsBytewise(server) == true }
        if !isBound { try await write { transaction in try transaction.bindServer(server, to: content) } }
    }
}

extension ServerContent {
    fileprivate var field: WritableKeyPath<ServersRecord, String?> {
        switch self {
        case .sync: \.sync
        case .outbox: \.outbox
        case .objects: \.objects
        }
    }
}

extension Tables {
    fileprivate func servers(in source: ReadTransaction) throws -> ServersRecord {
        let key = ServersRecord.key
        do {
            return try record(key.rawSpan, .meta, in: source, ServersRecord.init(decoding:)) ?? ServersRecord()
        } catch StoreError.damaged {
            // The next one that is stored takes its place.
            return ServersRecord()
        }
    }

    /// Whether anything is there that means something to one server only.
    fileprivate func holdsAny(
        _ content: ServerContent, in source: ReadTransaction
    ) throws -> Bool {
        switch content {
        case .sync:
            if try hasAny(.members, in: source) { return true }
            if try filters(in: source).contains(where: { $0.record.token != nil }) { return true }
            return try hasResource(in: source) { _, record in record.snapshotPath != nil || record.state == .hidden }
        // A ring stays when all of its points were sent.
        case .outbox: return try hasAny(.outbox, in: source) || hasPoint(in: source)
        case .objects:
            if try hasAny(.collections, in: source) { return true }
            return try hasResource(in: source) { key, record in
                record.liveGeneration != nil && key.group.utf8.starts(with: ResourceKey.objectsPrefix.utf8)
            }
        }
    }

    private func hasResource(
        in source: ReadTransaction, _ isWanted: (ResourceKey, ResourceRecord) -> Bool
    ) throws -> Bool {
        var isThere = false
        try forEach(.resources, prefix: [], in: source) { key, body in
            isThere = try decoding(.resources) { () throws(FormatError) in
                isWanted(try ResourceRecord.decodeKey(key), try ResourceRecord(decoding: body))
            }
            return !isThere
        }
        return isThere
    }

    private func hasPoint(in source: ReadTransaction) throws -> Bool {
        var isThere = false
        try forEachRaw(.buffers, prefix: [], in: source) { entry in
            if case .ring = try? BufferKey(decoding: entry.key) { return true }
            isThere = true
            return false
        }
        return isThere
    }

    private func hasAny(
        _ table: TableName, in source: ReadTransaction
    ) throws -> Bool {
        var isAny = false
        try forEachRaw(table, prefix: [], in: source) { _ in
            isAny = true
            return false
        }
        return isAny
    }
}
