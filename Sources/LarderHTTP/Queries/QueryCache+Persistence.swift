internal import LarderEngine
internal import LarderFormat
internal import LarderStore
internal import Logging
internal import Synchronization

extension QueryCache {
    /// The resource whose rows are the kept values: no server's, since groups of servers hold no colon first.
    static let resource = ResourceKey(":queries", 0)
    private static let rowType = "query"
    /// The most rows removed in one commit.
    private static let rowsPerCommit = 256

    /// Reads the value of `key` back, once, when it is one that is kept.
    func restore<Value: Codable & Sendable>(_ key: QueryKey, _ type: Value.Type, _ options: KeyedQueryOptions) async {
        guard let persistence, persistence.includes(key) else { return }
        let isKnown = entries.withLock { table in table[key].map { $0.isRestored || $0.value != nil } ?? false }
        if isKnown { return }
        let now = host.now()
        var found: (value: Value, updatedAt: Int64)?
        do {
            found = try persistence.store.read { view in
                guard let row = try view.row(at: Self.rowKey(key)) else { return nil }
                return (try row.value(type, using: persistence.coder), row.updatedAt)
            }
        } catch {
            // A value of another shape, say of the version before: it is fetched again.
            host.logger.debug("a kept query value could not be read", metadata: ["error": "\(error)"])
        }
        if let kept = found, !isYoungEnough(kept.updatedAt, options, now) { found = nil }
        entries.withLock { table in
            var entry = table[key] ?? QueryEntry(usedAt: now, options: options)
            if entry.isRestored || entry.value != nil { return }
            entry.isRestored = true
            entry.value = found?.value
            entry.updatedAt = found?.updatedAt
            table[key] = entry
        }
    }

    private func isYoungEnough(_ updatedAt: Int64, _ options: KeyedQueryOptions, _ now: Int64) -> Bool {
        guard let maximumAge = persistence?.maximumAge else { return true }
        if options.keepsWhileOffline, !isOnline() { return true }
        return now < updatedAt || now - updatedAt < maximumAge.milliseconds
    }

    /// Keeps a value in the store, when its key is one of those; a failure is logged, not thrown.
    ///
    /// Kept values are rows of one resource, which a write to it cannot evict: when the store is full, the oldest make room.
    func persist<Value: Codable & Sendable>(_ value: Value, for key: QueryKey, at time: Int64) async {
        guard let persistence, persistence.includes(key) else { return }
        do {
            let payload = try persistence.coder.encode(value)
            let codec = persistence.coder.codec
            let row = Self.rowKey(key)
            let store = persistence.store
            func put() async throws {
                try await store.write(durability: .relaxed) { transaction in
                    try transaction.put(payload, at: row, updatedAt: time, codec: codec)
                }
            }
            do {
                try await put()
            } catch StoreError.full(let shortage) {
                guard try await Self.removeOldest(shortage.missing, in: store) else { throw StoreError.full(shortage) }
                try await put()
            }
        } catch {
            host.logger.warning("a query value could not be kept", metadata: ["error": "\(error)"])
        }
    }

    /// Removes the oldest kept values until so many bytes are gone, and a sixteenth of all, in short commits.
    ///
    /// - Returns: false, with nothing removed, when all of them hold less.
    private static func removeOldest(_ missing: Int64, in store: Store) async throws -> Bool {
        var kept: [(key: RowKey, updatedAt: Int64, bytes: Int64)] = []
        try store.read { view in
            _ = try view.forEachRow(in: .type(rowType, of: resource), verified: false) { entry in
                let (type, key) = try entry.key()
                let place = RowKey(resource: resource, type: type, key: key)
                kept.append((place, entry.row.updatedAt, Int64(entry.row.payload.byteCount + key.utf8.count)))
            }
        }
        let all = kept.reduce(0) { $0 + $1.bytes }
        if all < missing { return false }
        var wanted = max(missing, all / 16)
        kept.sort { $0.updatedAt < $1.updatedAt }
        let gone = kept.prefix { row in
            defer { wanted -= row.bytes }
            return wanted > 0
        }
        let keys = gone.map(\.key)
        for start in stride(from: 0, to: keys.count, by: rowsPerCommit) {
            let batch = keys[start..<min(start + rowsPerCommit, keys.count)]
            try await store.write(durability: .relaxed) { transaction in
                for key in batch { try transaction.removeRow(at: key) }
            }
        }
        return true
    }

    /// Removes the kept values of all keys that begin with `prefix`, in short commits.
    func removeRows(_ prefix: QueryKey) async throws {
        // What begins with more than a key may hold was never kept.
        guard let persistence, prefix.text.utf8.count <= Limits.rowAddress else { return }
        let range = RowRange.prefix(prefix.text, type: Self.rowType, of: Self.resource)
        while try await Self.removeSome(of: range, in: persistence.store) {}
    }

    /// Removes the kept values that are too old to be read back, in short commits.
    public func sweep() async throws {
        guard let persistence, let maximumAge = persistence.maximumAge else { return }
        let oldest = host.now() - maximumAge.milliseconds
        let range = RowRange.type(Self.rowType, of: Self.resource)
        while try await Self.removeSome(of: range, in: persistence.store, before: oldest) {}
    }

    /// Answers whether there may be more.
    private static func removeSome(of range: RowRange, in store: Store, before time: Int64 = .max) async throws -> Bool
    {
        try Task.checkCancellation()
        let limit = rowsPerCommit
        var keys: [RowKey] = []
        try store.read { view in
            _ = try view.forEachRow(in: range) { entry in
                guard keys.count < limit, entry.row.updatedAt < time else { return }
                let (type, key) = try entry.key()
                keys.append(RowKey(resource: range.resource, type: type, key: key))
            }
        }
        let found = keys
        if found.isEmpty { return false }
        try await store.write(durability: .relaxed) { transaction in
            for key in found { try transaction.removeRow(at: key) }
        }
        return found.count == limit
    }

    private static func rowKey(_ key: QueryKey) -> RowKey {
        RowKey(resource: resource, type: rowType, key: key.text)
    }
}
