internal import LarderEngine
internal import LarderFormat

// Tokens, applied sequences, unsent writes and keyed objects are valid for one server only: the store records which.

/// A kind of content that belongs to one server.
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
/// If both are the same server under two names, call ``Store/adopt(_:)``. To discard what is stored and start over,
/// call ``Store/clear(discardingUnsent:)``. To keep both, open a store in another directory for the other server.
/// Unsent writes can also be sent first, under the configuration that they were made with.
///
/// ```swift
/// do {
///     print(try await coordinator.sync(filter))
/// } catch SyncError.otherServer(let mismatch) where mismatch.stored.contains("old.example.org") {
///     try await store.adopt(mismatch)  // the same server under another name: what is stored stays valid
/// }
/// ```
public struct ServerMismatch: Error, Hashable, Sendable {
    /// The kind of content.
    public let content: ServerContent
    /// The server that it belongs to.
    public let stored: String
    /// The server that is configured.
    public let configured: String
}

extension ServerMismatch: CustomStringConvertible {
    /// The fault and the remedies, in one line.
    public var description: String {
        let what =
            switch content {
            case .sync: "The synced content"
            case .outbox: "The unsent content"
            case .objects: "The stored objects"
            }
        return """
            \(what) belongs to \(stored), and \(configured) is configured. Nothing was sent or removed. If both are one \
            server: Store.adopt(_:). To start over: Store.clear(discardingUnsent:). To keep both: another directory.
            """
    }
}

extension ReadView {
    /// The server that a kind of content belongs to; nil while there was none.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)`` where the record is damaged and content is left, whose server is
    ///   then unknown: ``Store/clear(discardingUnsent:)`` removes it. `EngineError`.
    public borrowing func server(of content: ServerContent) throws -> String? {
        try tables.servers(in: transaction)[keyPath: content.field]
    }

    /// Checks that a kind of content belongs to a server, or to none.
    ///
    /// - Throws: ``ServerMismatch`` when it belongs to another server; otherwise as ``server(of:)``.
    package borrowing func checkServer(_ server: String, of content: ServerContent) throws {
        guard let stored = try self.server(of: content), !stored.equalsBytewise(server) else { return }
        throw ServerMismatch(content: content, stored: stored, configured: server)
    }
}

extension Transaction {
    /// The server that a kind of content belongs to; nil while there was none.
    ///
    /// - Throws: as ``ReadView/server(of:)``.
    package func server(of content: ServerContent) throws -> String? {
        try tables.servers(in: engine)[keyPath: content.field]
    }

    /// Records the server of a kind of content, unless content of another server is stored.
    ///
    /// Positions that own writes or the app have left are no content. They count as those of the outbox's server or,
    /// where there is none, of the sync server before. If that is another server, a new timeline begins, so that no
    /// change of the new server falls below them.
    ///
    /// - Throws: ``ServerMismatch`` when content of another server is stored; as ``ReadView/server(of:)``;
    ///   ``StoreError``; ``EngineError``.
    package mutating func bindServer(_ server: String, to content: ServerContent) throws {
        var servers = try tables.servers(in: engine)
        if let stored = servers[keyPath: content.field] {
            if stored.equalsBytewise(server) { return }
            // A server that nothing was ever stored from, such as a mistyped one, does not own the content.
            if try tables.holdsAny(content, in: engine) {
                throw ServerMismatch(content: content, stored: stored, configured: server)
            }
        }
        let sequenceServer: String? =
            switch content {
            case .sync: servers.outbox ?? servers.sync
            case .outbox: servers.outbox
            case .objects: nil
            }
        if let sequenceServer, !sequenceServer.equalsBytewise(server) { try beginTimeline() }
        servers[keyPath: content.field] = server
        try put(body: servers.encode(), key: ServersRecord.key, in: .meta)
    }

    /// Forgets all servers, once no content is left. Records of `meta` are never removed.
    ///
    /// The account stays: what is fetched before another one signs in is its content.
    mutating func clearServers() throws {
        var record = ServersRecord()
        do {
            let stored = try tables.storedServers(in: engine)
            record.account = stored.account
            if stored == record { return }
        } catch StoreError.damaged {
            // The account is unknown; nothing is left that belongs to it.
        }
        try put(body: record.encode(), key: ServersRecord.key, in: .meta)
    }
}

extension Store {
    /// Assigns the content to the configured server, which is the same one as before under another name.
    ///
    /// Does nothing when the content belongs to another server by now than the mismatch names.
    ///
    /// - Throws: as ``ReadView/server(of:)`` and ``write(durability:_:)``.
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
    /// The servers and the account that content belongs to.
    ///
    /// A damaged record counts as none where no content is left: the next record that is stored replaces it.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)`` where content is left, so that it passes for content of no other
    ///   server or account.
    func servers(in source: ReadTransaction) throws -> ServersRecord {
        do {
            return try storedServers(in: source)
        } catch let error as StoreError {
            if case .damaged = error, try !holdsOwnedContent(in: source) { return ServersRecord() }
            throw error
        }
    }

    fileprivate func storedServers(in source: ReadTransaction) throws -> ServersRecord {
        let key = ServersRecord.key
        return try record(key.rawSpan, .meta, in: source, ServersRecord.init(decoding:)) ?? ServersRecord()
    }

    /// Whether anything is stored that belongs to a server or an account.
    private func holdsOwnedContent(in source: ReadTransaction) throws -> Bool {
        for table in [TableName.resources, .members, .outbox, .collections] where try hasAny(table, in: source) {
            return true
        }
        return try hasPoint(in: source) || filters(in: source).contains { $0.record.token != nil }
    }

    /// Whether anything is stored that is valid for one server only.
    func holdsAny(
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

    func hasResource(
        in source: ReadTransaction, _ isWanted: (ResourceKey, ResourceRecord) -> Bool
    ) throws -> Bool {
        var isFound = false
        try forEach(.resources, prefix: [], in: source) { key, body in
            isFound = try decoding(.resources) { () throws(FormatError) in
                isWanted(try ResourceRecord.decodeKey(key), try ResourceRecord(decoding: body))
            }
            return !isFound
        }
        return isFound
    }

    private func hasPoint(in source: ReadTransaction) throws -> Bool {
        var isFound = false
        try forEachRaw(.buffers, prefix: [], in: source) { entry in
            if case .ring = try? BufferKey(decoding: entry.key) { return true }
            isFound = true
            return false
        }
        return isFound
    }

    private func hasAny(
        _ table: TableName, in source: ReadTransaction
    ) throws -> Bool {
        var isFound = false
        try forEachRaw(table, prefix: [], in: source) { _ in
            isFound = true
            return false
        }
        return isFound
    }
}
