internal import LarderEngine
internal import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Logging
internal import Synchronization

extension QueryCache {
    /// The resource whose rows are the stored values; no resource of a server, whose group never begins with a colon.
    static let resource = ResourceKey(":queries", 0)
    private static let rowType = "query"
    /// The type of a row without payload, which marks the stored value of the same key as invalidated after its fetch.
    private static let markType = "query-invalid"
    /// The type of a row that holds the list of tags of the stored value of the same key.
    private static let tagsType = "query-tags"
    private static let types = [rowType, markType, tagsType]

    /// A stored value as it was read.
    private struct StoredQuery<Value: Sendable>: Sendable {
        var value: Value
        var updatedAt: Int64
        var isInvalidated: Bool
        var tags: Set<String>
    }
    /// The most rows changed in one commit.
    private static let rowsPerCommit = 256

    /// Reads the value of `key` back from the store, once, if the key is one to persist.
    func restore<Value: Codable & Sendable>(_ key: QueryKey, _ type: Value.Type, _ options: KeyedQueryOptions) async {
        guard let persistence, persistence.includes(key) else { return }
        let isKnown = entries.withLock { table in table[key].map { $0.isRestored || $0.value != nil } ?? false }
        if isKnown { return }
        while true {
            let sweepCount = entries.withLock { $0.sweepCount }
            let found: StoredQuery<Value>?
            do {
                found = try read(key, type, in: persistence)
            } catch {
                // The value has another shape, for example that of an earlier version of the app: it is fetched again.
                return host.logger.debug("a stored query value could not be read", metadata: ["error": "\(error)"])
            }
            let now = host.now()
            let stored = found.flatMap { isYoungEnough($0.updatedAt, options, now) ? $0 : nil }
            let isDone = entries.withLock { table in
                // A removal or an invalidation began or ended since the read: the value is read again.
                guard table.sweepCount == sweepCount else { return false }
                var entry = table[key] ?? QueryEntry(usedAt: now, options: options)
                if entry.isRestored || entry.value != nil { return true }
                entry.isRestored = true
                if let stored, !table.isSwept(key, by: .removal) {
                    entry.value = stored.value
                    entry.updatedAt = stored.updatedAt
                    entry.tags.formUnion(stored.tags)
                    entry.isInvalidated = stored.isInvalidated || table.isSwept(key, stored.tags, by: .invalidation)
                }
                table[key] = entry
                return true
            }
            if isDone { return }
        }
    }

    private func read<Value: Codable & Sendable>(
        _ key: QueryKey, _ type: Value.Type, in persistence: Persistence
    ) throws -> StoredQuery<Value>? {
        try persistence.store.read { view in
            guard let row = try view.row(at: Self.rowKey(key)) else { return nil }
            let isInvalidated = try view.row(at: Self.rowKey(key, Self.markType)) != nil
            let tags = try view.row(at: Self.rowKey(key, Self.tagsType))?
                .value([String].self, using: persistence.coder)
            return StoredQuery(
                value: try row.value(type, using: persistence.coder), updatedAt: row.updatedAt,
                isInvalidated: isInvalidated,
                tags: Set(tags ?? []))
        }
    }

    private func isYoungEnough(_ updatedAt: Int64, _ options: KeyedQueryOptions, _ now: Int64) -> Bool {
        guard let maximumAge = persistence?.maximumAge else { return true }
        if options.keepsWhileOffline, !isOnline() { return true }
        return now < updatedAt || now - updatedAt < maximumAge.milliseconds
    }

    /// Writes a value to the store if its key is one to persist; a failure is logged, not thrown.
    ///
    /// Stored values are rows of one resource, and a write to a resource cannot evict the rows of that resource. When
    /// the store is full, the oldest values are therefore removed.
    ///
    /// - Parameter number: identifies this value; a later one, or a removal of the key, cancels its write.
    func persist<Value: Codable & Sendable>(
        _ value: Value, for key: QueryKey, at time: Int64, as number: UInt64
    ) async {
        // Runs in a task of its own: the value is in memory already, and the caller's task may be cancelled.
        await Task { await put(value, for: key, at: time, as: number) }.value
    }

    private func put<Value: Codable & Sendable>(
        _ value: Value, for key: QueryKey, at time: Int64, as number: UInt64
    ) async {
        defer { entries.withLock { $0.endPersisting(key, number) } }
        guard let persistence, persistence.includes(key) else { return }
        do {
            let payload = try persistence.coder.encode(value)
            let codec = persistence.coder.codec
            try await Self.writeEvictingOldest(in: persistence.store) { [self] transaction in
                // Checked within the transaction, where writes are serialized: a removal is wholly before or after.
                let (isWanted, isInvalidated, tags) = entries.withLock {
                    ($0.isPersisting(key, number), $0.isInvalidated(key), $0.tags(of: key))
                }
                guard isWanted else { return }
                let list = try tags.isEmpty ? nil : persistence.coder.encode(tags.sorted())
                let rows: [(type: String, payload: [UInt8]?, codec: PayloadCodec)] = [
                    (Self.rowType, payload, codec), (Self.markType, isInvalidated ? [] : nil, .opaque),
                    (Self.tagsType, list, codec),
                ]
                for row in rows {
                    let place = Self.rowKey(key, row.type)
                    if let payload = row.payload {
                        try transaction.put(payload, at: place, updatedAt: time, codec: row.codec)
                    } else {
                        try transaction.removeRow(at: place)
                    }
                }
            }
        } catch {
            host.logger.warning("a query value could not be stored", metadata: ["error": "\(error)"])
        }
    }

    /// Writes; when the store is full, removes the oldest stored values and writes once more.
    private static func writeEvictingOldest(
        in store: Store, _ body: @escaping @Sendable (inout Transaction) throws -> Void
    ) async throws {
        do {
            try await store.write(durability: .relaxed, body)
        } catch StoreError.full(let shortage) {
            guard try await removeOldest(shortage.missing, in: store) else { throw StoreError.full(shortage) }
            try await store.write(durability: .relaxed, body)
        }
    }

    /// Removes the oldest stored values, in short commits: at least `missing` bytes, and at least a sixteenth of all.
    ///
    /// - Returns: false, with nothing removed, when all of them hold fewer bytes than `missing`.
    private static func removeOldest(_ missing: Int64, in store: Store) async throws -> Bool {
        var stored: [(key: RowKey, updatedAt: Int64, bytes: Int64)] = []
        try store.read { view in
            _ = try view.forEachRow(in: .type(rowType, of: resource), verified: false) { entry in
                let (type, key) = try entry.key()
                let place = RowKey(resource: resource, type: type, key: key)
                stored.append((place, entry.row.updatedAt, Int64(entry.row.payload.byteCount + key.utf8.count)))
            }
        }
        let all = stored.reduce(0) { $0 + $1.bytes }
        if all < missing { return false }
        var wanted = max(missing, all / 16)
        stored.sort { $0.updatedAt < $1.updatedAt }
        let removed = stored.prefix { row in
            defer { wanted -= row.bytes }
            return wanted > 0
        }
        let keys = removed.map(\.key)
        for start in stride(from: 0, to: keys.count, by: rowsPerCommit) {
            let batch = keys[start..<min(start + rowsPerCommit, keys.count)]
            try await store.write(durability: .relaxed) { transaction in
                for key in batch {
                    for type in types {
                        try transaction.removeRow(at: RowKey(resource: resource, type: type, key: key.key))
                    }
                }
            }
        }
        return true
    }

    /// Removes the stored values of all keys that begin with `prefix`, in short commits.
    func removeRows(_ prefix: QueryKey) async throws {
        // No stored key is as long as a prefix beyond this limit.
        guard let persistence, prefix.text.utf8.count <= Limits.rowAddress else { return }
        for type in Self.types {
            let range = RowRange.prefix(prefix.text, type: type, of: Self.resource)
            while try await removeSome(
                of: range, in: persistence.store, except: { $0.texts(in: .prefix(prefix), isValid: false) })
            {}
        }
    }

    /// Marks the selected values in the store as invalidated, in short commits.
    func markRows(_ selection: QuerySelection) async throws {
        guard let persistence else { return }
        // This write waits for every write under way; a value that is stored later checks the state in memory itself.
        try await persistence.store.write(durability: .relaxed) { _ in }
        let found = try storedTexts(in: selection, persistence)
        for start in stride(from: 0, to: found.count, by: Self.rowsPerCommit) {
            let batch = found[start..<min(start + Self.rowsPerCommit, found.count)]
            do {
                try await Self.writeEvictingOldest(in: persistence.store) { [self] transaction in
                    try mark(batch, selection, in: &transaction, removing: false)
                }
            } catch StoreError.full {
                // There is no space for the marks: to fetch the values again is better than to use stale ones as valid.
                try await persistence.store.write(durability: .relaxed) { [self] transaction in
                    try mark(batch, selection, in: &transaction, removing: true)
                }
            }
        }
    }

    /// Returns the texts of the keys of selected values that are stored, or may be.
    private func storedTexts(in selection: QuerySelection, _ persistence: Persistence) throws -> [String] {
        var texts: Set<String> = []
        try persistence.store.read { view in
            switch selection {
            case .prefix(let prefix):
                guard prefix.text.utf8.count <= Limits.rowAddress else { return }
                let range = RowRange.prefix(prefix.text, type: Self.rowType, of: Self.resource)
                _ = try view.forEachRow(in: range) { entry in texts.insert(try entry.key().key) }
            case .tag(let tag):
                // Values may have been stored before the query named the tag.
                texts = entries.withLock { $0.texts(in: selection, isValid: false) }
                _ = try view.forEachRow(in: .type(Self.tagsType, of: Self.resource)) { entry in
                    // Tags of another coder cannot be read: the value is fetched again, not used as valid.
                    let tags = try? entry.row.value([String].self, using: persistence.coder)
                    if tags?.contains(tag) ?? true { texts.insert(try entry.key().key) }
                }
            }
        }
        return Array(texts)
    }

    /// Marks values as invalidated, or removes them.
    ///
    /// - Parameter isRemoving: whether to remove the values, which needs no space, instead of marking them.
    private func mark(
        _ keys: ArraySlice<String>, _ selection: QuerySelection, in transaction: inout Transaction,
        removing isRemoving: Bool
    ) throws {
        // These values were fetched again since, and stored without a mark.
        let newer = entries.withLock { $0.texts(in: selection, isValid: true) }
        for key in keys where !newer.contains(key) {
            let row = { RowKey(resource: Self.resource, type: $0, key: key) }
            // The mark is as old as the value, so that both are swept together.
            guard let time = try transaction.row(at: row(Self.rowType))?.updatedAt else { continue }
            if isRemoving {
                for type in Self.types { try transaction.removeRow(at: row(type)) }
            } else {
                try transaction.put([], at: row(Self.markType), updatedAt: time, codec: .opaque)
            }
        }
    }

    /// Removes the stored values that are too old to be read back, in short commits.
    ///
    /// - Throws: as `Store.write(durability:_:)`.
    public func sweep() async throws {
        guard let persistence, let maximumAge = persistence.maximumAge else { return }
        let oldest = host.now() - maximumAge.milliseconds
        for type in Self.types {
            let range = RowRange.type(type, of: Self.resource)
            while try await removeSome(of: range, in: persistence.store, before: oldest) {}
        }
    }

    /// Removes some rows of a range in one commit, and returns whether there may be more.
    ///
    /// - Parameter excluded: returns the texts of the keys to leave, as they are within the transaction.
    private func removeSome(
        of range: RowRange, in store: Store, before time: Int64 = .max,
        except excluded: @escaping @Sendable (QueryTable) -> Set<String> = { _ in [] }
    ) async throws -> Bool {
        try Task.checkCancellation()
        // Looked up within the transaction, where writes are serialized: a value whose commit is pending is found, too.
        return try await store.write(durability: .relaxed) { [self] transaction in
            let left = entries.withLock { excluded($0) }
            var keys: [RowKey] = []
            _ = try transaction.forEachRow(in: range) { entry in
                guard keys.count < Self.rowsPerCommit, entry.row.updatedAt < time else { return }
                let (type, key) = try entry.key()
                if left.contains(key) { return }
                keys.append(RowKey(resource: range.resource, type: type, key: key))
            }
            for key in keys { try transaction.removeRow(at: key) }
            return keys.count == Self.rowsPerCommit
        }
    }

    private static func rowKey(_ key: QueryKey, _ type: String = rowType) -> RowKey {
        RowKey(resource: resource, type: type, key: key.text)
    }
}
