internal import LarderEngine
internal import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Logging
internal import Synchronization

extension QueryCache {
    /// The resource whose rows are the kept values: no server's, since groups of servers hold no colon first.
    static let resource = ResourceKey(":queries", 0)
    private static let rowType = "query"
    /// Beside a kept value of the same key: it was invalidated after it was fetched. Without payload.
    private static let markType = "query-invalid"
    /// Beside a kept value of the same key: the list of its tags.
    private static let tagsType = "query-tags"
    private static let types = [rowType, markType, tagsType]

    /// A kept value as it was read.
    private struct Kept<Value: Sendable>: Sendable {
        var value: Value
        var updatedAt: Int64
        var isInvalidated: Bool
        var tags: Set<String>
    }
    /// The most rows changed in one commit.
    private static let rowsPerCommit = 256

    /// Reads the value of `key` back, once, when it is one that is kept.
    func restore<Value: Codable & Sendable>(_ key: QueryKey, _ type: Value.Type, _ options: KeyedQueryOptions) async {
        guard let persistence, persistence.includes(key) else { return }
        let isKnown = entries.withLock { table in table[key].map { $0.isRestored || $0.value != nil } ?? false }
        if isKnown { return }
        while true {
            let sweepCount = entries.withLock { $0.sweepCount }
            let found: Kept<Value>?
            do {
                found = try read(key, type, in: persistence)
            } catch {
                // A value of another shape, say of the version before: it is fetched again.
                return host.logger.debug("a kept query value could not be read", metadata: ["error": "\(error)"])
            }
            let now = host.now()
            let kept = found.flatMap { isYoungEnough($0.updatedAt, options, now) ? $0 : nil }
            let isDone = entries.withLock { table in
                // Removed or invalidated since: it is read again.
                guard table.sweepCount == sweepCount else { return false }
                var entry = table[key] ?? QueryEntry(usedAt: now, options: options)
                if entry.isRestored || entry.value != nil { return true }
                entry.isRestored = true
                if let kept, !table.isSwept(key, by: .removal) {
                    entry.value = kept.value
                    entry.updatedAt = kept.updatedAt
                    entry.tags.formUnion(kept.tags)
                    entry.isInvalidated = kept.isInvalidated || table.isSwept(key, kept.tags, by: .invalidation)
                }
                table[key] = entry
                return true
            }
            if isDone { return }
        }
    }

    private func read<Value: Codable & Sendable>(
        _ key: QueryKey, _ type: Value.Type, in persistence: Persistence
    ) throws -> Kept<Value>? {
        try persistence.store.read { view in
            guard let row = try view.row(at: Self.rowKey(key)) else { return nil }
            let isInvalidated = try view.row(at: Self.rowKey(key, Self.markType)) != nil
            let tags = try view.row(at: Self.rowKey(key, Self.tagsType))?
                .value([String].self, using: persistence.coder)
            return Kept(
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

    /// Keeps a value in the store, when its key is one of those; a failure is logged, not thrown.
    ///
    /// Kept values are rows of one resource, which a write to it cannot evict: when the store is full, the oldest make room.
    ///
    /// - Parameter number: identifies this value; a later one, or a removal of the key, cancels its write.
    func persist<Value: Codable & Sendable>(
        _ value: Value, for key: QueryKey, at time: Int64, as number: UInt64
    ) async {
        // In a task of its own: the value is in memory already, and the caller's task may be cancelled.
        await Task { await put(value, for: key, at: time, as: number) }.value
    }

    private func put<Value: Codable & Sendable>(
        _ value: Value, for key: QueryKey, at time: Int64, as number: UInt64
    ) async {
        defer { entries.withLock { $0.endKeeping(key, number) } }
        guard let persistence, persistence.includes(key) else { return }
        do {
            let payload = try persistence.coder.encode(value)
            let codec = persistence.coder.codec
            try await Self.writeMakingRoom(in: persistence.store) { [self] transaction in
                // Looked at where writes are in order: a removal comes wholly before or after.
                let (isWanted, isInvalidated, tags) = entries.withLock {
                    ($0.isKeeping(key, number), $0.isInvalidated(key), $0.tags(of: key))
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
            host.logger.warning("a query value could not be kept", metadata: ["error": "\(error)"])
        }
    }

    /// Writes, and once more without the oldest kept values when the store is full.
    private static func writeMakingRoom(
        in store: Store, _ body: @escaping @Sendable (inout Transaction) throws -> Void
    ) async throws {
        do {
            try await store.write(durability: .relaxed, body)
        } catch StoreError.full(let shortage) {
            guard try await removeOldest(shortage.missing, in: store) else { throw StoreError.full(shortage) }
            try await store.write(durability: .relaxed, body)
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
                for key in batch {
                    for type in types {
                        try transaction.removeRow(at: RowKey(resource: resource, type: type, key: key.key))
                    }
                }
            }
        }
        return true
    }

    /// Removes the kept values of all keys that begin with `prefix`, in short commits.
    func removeRows(_ prefix: QueryKey) async throws {
        // What begins with more than a key may hold was never kept.
        guard let persistence, prefix.text.utf8.count <= Limits.rowAddress else { return }
        for type in Self.types {
            let range = RowRange.prefix(prefix.text, type: type, of: Self.resource)
            while try await removeSome(
                of: range, in: persistence.store, except: { $0.texts(in: .prefix(prefix), isValid: false) })
            {}
        }
    }

    /// Marks the selected values that are kept as invalidated, in short commits.
    func markRows(_ selection: QuerySelection) async throws {
        guard let persistence else { return }
        // Behind every write that is under way; what is kept later looks at the memory itself.
        try await persistence.store.write(durability: .relaxed) { _ in }
        let found = try keptTexts(in: selection, persistence)
        for start in stride(from: 0, to: found.count, by: Self.rowsPerCommit) {
            let batch = found[start..<min(start + Self.rowsPerCommit, found.count)]
            do {
                try await Self.writeMakingRoom(in: persistence.store) { [self] transaction in
                    try mark(batch, selection, in: &transaction, removing: false)
                }
            } catch StoreError.full {
                // A value that is fetched again rather than one that is taken for valid.
                try await persistence.store.write(durability: .relaxed) { [self] transaction in
                    try mark(batch, selection, in: &transaction, removing: true)
                }
            }
        }
    }

    /// The texts of the keys of selected values that are kept, or may be.
    private func keptTexts(in selection: QuerySelection, _ persistence: Persistence) throws -> [String] {
        var texts: Set<String> = []
        try persistence.store.read { view in
            switch selection {
            case .prefix(let prefix):
                guard prefix.text.utf8.count <= Limits.rowAddress else { return }
                let range = RowRange.prefix(prefix.text, type: Self.rowType, of: Self.resource)
                _ = try view.forEachRow(in: range) { entry in texts.insert(try entry.key().key) }
            case .tag(let tag):
                // Values may have been kept before the query named the tag.
                texts = entries.withLock { $0.texts(in: selection, isValid: false) }
                _ = try view.forEachRow(in: .type(Self.tagsType, of: Self.resource)) { entry in
                    // Tags that another coder wrote: the value is fetched again rather than taken for valid.
                    let tags = try? entry.row.value([String].self, using: persistence.coder)
                    if tags?.contains(tag) ?? true { texts.insert(try entry.key().key) }
                }
            }
        }
        return Array(texts)
    }

    /// - Parameter isRemoving: whether to remove the values, which needs no room, instead of marking them.
    private func mark(
        _ keys: ArraySlice<String>, _ selection: QuerySelection, in transaction: inout Transaction,
        removing isRemoving: Bool
    ) throws {
        // Fetched again since, and kept without a mark.
        let newer = entries.withLock { $0.texts(in: selection, isValid: true) }
        for key in keys where !newer.contains(key) {
            let row = { RowKey(resource: Self.resource, type: $0, key: key) }
            // As old as the value, so that both are swept together.
            guard let time = try transaction.row(at: row(Self.rowType))?.updatedAt else { continue }
            if isRemoving {
                for type in Self.types { try transaction.removeRow(at: row(type)) }
            } else {
                try transaction.put([], at: row(Self.markType), updatedAt: time, codec: .opaque)
            }
        }
    }

    /// Removes the kept values that are too old to be read back, in short commits.
    public func sweep() async throws {
        guard let persistence, let maximumAge = persistence.maximumAge else { return }
        let oldest = host.now() - maximumAge.milliseconds
        for type in Self.types {
            let range = RowRange.type(type, of: Self.resource)
            while try await removeSome(of: range, in: persistence.store, before: oldest) {}
        }
    }

    /// Answers whether there may be more.
    ///
    /// - Parameter kept: the texts of the keys to leave, as they are at the moment.
    private func removeSome(
        of range: RowRange, in store: Store, before time: Int64 = .max,
        except kept: @escaping @Sendable (QueryTable) -> Set<String> = { _ in [] }
    ) async throws -> Bool {
        try Task.checkCancellation()
        // Looked for where writes are in order: a value whose commit is still to come is found, too.
        return try await store.write(durability: .relaxed) { [self] transaction in
            let left = entries.withLock { kept($0) }
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
