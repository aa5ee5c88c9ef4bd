internal import LarderEngine
internal import LarderFormat

extension Store {
    /// Opens the store in the directory at `path`; where there is none yet, it begins with the content of `seed`.
    ///
    /// An app ships with content in this way: it is complete before the first sync, which then fetches only what has
    /// changed since. The seed is a directory that ``publish(to:progress:)`` has filled, and may be on a read-only
    /// medium.
    ///
    /// The new store has an identity of its own, and of the seed it has the resources with their rows, indexes and
    /// applied positions, the filters with their tokens, the stored answers of queries, and the names of the servers
    /// that these are from. It has nothing that belongs to a device or an account: no unsent writes and points, local
    /// effects, journal, session or cached responses. The content belongs to the first account that signs in.
    ///
    /// ```swift
    /// let store = try Store.open(at: path, seededFrom: bundledContent, host: .system())
    /// ```
    ///
    /// A process that is killed meanwhile leaves no store, or one with all of that content. Blocks, the first time
    /// while the seed is checked and copied; several processes may open the same directory at once.
    ///
    /// - Parameters:
    ///   - path: the directory of the store, which is created when it does not exist.
    ///   - seed: the directory of a published copy, plain or encrypted with the key of `options`, and
    ///     compressed only where `options` have that. It is not read where a
    ///     store exists.
    ///   - options: as for ``open(at:options:host:)``; nothing is created unless their access is `readWrite`.
    ///   - host: the app's services; they supply the identity of the new store.
    /// - Throws: as ``PublishedStore/open(at:host:encryption:compression:)`` for the seed, ``StoreError/readOnlyFormat`` for a seed
    ///   that only a newer version may write, `EngineError.diskFull`; there is no store then. As
    ///   ``open(at:options:host:)``.
    /// - Complexity: the first time, reads and writes every record of the seed once.
    public static func open(
        at path: String, seededFrom seed: String, options: StoreOptions = StoreOptions(), host: HostServices
    ) throws -> Store {
        if options.access == .readWrite, try !Environment.exists(at: path) {
            let source = try openSeed(at: seed, host, options)
            defer { try? source.close() }
            let content = SeedContent()
            let id = host.makeID()
            let copied = try CopiedKeys(from: source, id: id, options.encryption)
            var renamed: Int64 = 0
            do {
                try source.environment.copy(
                    to: path, values: .anew(copied.cipher),
                    including: { table, key in content.includes(key, of: table) && copied.includes(table, key) },
                    adding: { add in renamed = try copied.addRenamed(add, hasResponses: false) },
                    change: { transaction, tables, sizes in
                        let size = Int64(sizes.filter { $0.key != TableName.meta.rawValue }.values.reduce(0, +))
                        try content.complete(&transaction, Tables(tables), id: id, copied, size: size + renamed)
                    }, lockTimeout: options.lockTimeout)
            } catch EngineError.keyExists {
                // Another opener was faster.
            }
        }
        return try open(at: path, options: options, host: host)
    }

    /// Opens a seed, which may be plain, or encrypted as the store is to be.
    private static func openSeed(at path: String, _ host: HostServices, _ options: StoreOptions) throws -> Store {
        do {
            return try PublishedStore.openCopy(at: path, host, nil, options.compression)
        } catch StoreError.encryption(.keyMissing) where options.encryption != nil {
            return try PublishedStore.openCopy(at: path, host, options.encryption, options.compression)
        }
    }
}

/// The part of a published copy that a new store begins with.
private struct SeedContent {
    private static let tables: Set<TableName> = [
        .meta, .resources, .rows, .generations, .filters, .members, .collections, .indexes, .garbage,
    ]

    private let records = [FormatRecord.key, CountersRecord.key, ServersRecord.key, DictionariesRecord.key]
    /// The entries of overlaid rows.
    private let localEntries = IndexEntryKey.prefix(generation: 0)
    private let blobs = [GarbageKey.Kind.stagedBlob.prefix, GarbageKey.Kind.blob.prefix]

    /// Whether the store has the record of `key` in `table`.
    func includes(_ key: RawSpan, of table: String) -> Bool {
        guard let table = TableName(rawValue: table), Self.tables.contains(table) else { return false }
        return switch table {
        case .meta: records.contains { key.equals($0.rawSpan) } || DictionaryRecord.isKey(key)
        case .indexes: !key.starts(with: localEntries.rawSpan)
        case .garbage: !blobs.contains { key.starts(with: $0.rawSpan) }
        default: true
        }
    }

    /// Gives the store its identity, and removes from its records what belongs to content that it does not have.
    ///
    /// - Parameter size: the bytes of keys and values of all tables but `meta`.
    func complete(
        _ transaction: inout WriteTransaction, _ tables: Tables, id: UUIDBytes, _ copied: CopiedKeys, size: Int64
    ) throws {
        guard var format = try tables.format(in: transaction.reader) else { throw StoreError.notAStore }
        format.storeID = id
        format.features.isPublished = false
        guard try format.access() == .readWrite else { throw StoreError.readOnlyFormat }
        try copied.complete(&transaction, tables, &format)
        try transaction.setMeta(FormatRecord.key, format, in: tables)

        let key = ServersRecord.key
        if var servers = try tables.record(
            key.rawSpan, .meta, in: transaction.reader, ServersRecord.init(decoding:))
        {
            servers.account = nil
            try transaction.setMeta(key, servers, in: tables)
        }

        let grown = try removeOverlayCounts(&transaction, tables)
        var counters = try tables.counters(in: transaction.reader)
        (counters.pendingEntries, counters.pendingBytes) = (0, 0)
        counters.storedSize = size + Int64(grown)
        try transaction.setMeta(CountersRecord.key, counters, in: tables)
    }

    /// Sets the number of overlaid rows of each resource to 0; returns the bytes by which the records have grown.
    private func removeOverlayCounts(_ transaction: inout WriteTransaction, _ tables: Tables) throws -> Int {
        var changed: [(key: [UInt8], body: [UInt8])] = []
        var grown = 0
        try tables.forEach(.resources, prefix: [], in: transaction.reader) { key, body in
            var record = try decoding(.resources) { () throws(FormatError) in try ResourceRecord(decoding: body) }
            guard record.overlays > 0 else { return true }
            record.overlays = 0
            let changedBody = record.encode()
            grown += changedBody.count - body.byteCount
            changed.append(([UInt8](copying: key), changedBody))
            return true
        }
        for (key, body) in changed {
            let value = Record.seal(body: body.rawSpan, key: key.rawSpan, seed: TableName.resources.seed)
            try transaction.set(value.rawSpan, forKey: key.rawSpan, in: tables.resources)
        }
        return grown
    }
}
