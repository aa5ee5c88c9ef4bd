internal import LarderEngine
internal import LarderFormat

extension Store {
    /// Removes all content: rows, responses, tokens, the outbox, overlays, the journal, the file of words for searches, and
    /// the damaged file that a salvage has left.
    ///
    /// The store stays open and usable. Numbers continue, so that none is used twice. Secondary indexes are removed
    /// with their declarations; a host declares them again.
    ///
    /// Use it for signing out. Stop everything that syncs and sends first: content written meanwhile is removed too, or
    /// stays whole. Works in commits of bounded size, but removes damaged records in one. A process that dies meanwhile
    /// leaves a consistent store with a part of its content, and the next call continues. Removed bytes may be left in
    /// unused pages of the file: ``destroy(at:discardingUnsent:encryption:)`` removes the file.
    ///
    /// - Parameter discardingUnsent: whether writes and points that were not sent are removed too.
    /// - Throws: ``StoreError/unsentWrites(_:)`` and ``StoreError/unsentPoints(_:)`` with nothing removed, or, for a
    ///   write made while this runs, with that write and a part of the content kept; `CancellationError` between two
    ///   commits; `EngineError`, also when the file of words cannot be removed.
    public func clear(discardingUnsent: Bool = false) async throws {
        try checkWritable()
        try await inBatches { transaction in
            if !discardingUnsent { try transaction.tables.checkAllSent(in: transaction.engine) }
            return try transaction.clearSomeUnsent()
        }
        try await inBatches { transaction in try transaction.clearSomeFilters() }
        try await clearCollections()
        _ = try await removeResponses(.all)
        try await inBatches { transaction in
            try transaction.clearUnsent(discards: discardingUnsent)
            return try transaction.clearSomeResources()
        }
        try await inBatches { transaction in try transaction.clearSomeGarbage() }
        // The rest was written meanwhile, or is damaged. One commit removes it: with one for each table, a write made
        // in between would lose a part of itself. No other write is in that commit, because counts are stored at the
        // end of their commit.
        try await writeBulk { transaction in
            transaction.requireFullDurability()
            try transaction.clearUnsent(discards: discardingUnsent)
            for table in TableName.allCases where table != .meta { while try transaction.clearSome(of: table) {} }
            // The share of damaged entries in the counts is unknown.
            try transaction.resetPendingCounts()
            try transaction.clearServers()
            try transaction.clearDictionaries()
            try transaction.beginTimeline()
        }
        try removeFilesBesideData()
    }

    /// Removes the damaged file that a salvage has left, and the file of words, last: one that is made again from now on
    /// finds no rows to read words from.
    ///
    /// A search under way, in any process, continues with the file that it has open; the next one notices that it is
    /// gone.
    private func removeFilesBesideData() throws {
        try environment.removeAuxiliaryFiles([StoreDirectory.damagedName] + Self.searchFileNames)
    }

    /// Removes the store at `path`, which no process may have open, with its directory when nothing else is in it.
    ///
    /// Use it for signing out, and, with `discardingUnsent`, for a fresh start when a file is damaged beyond use or of
    /// an older format. A damaged file is removed only when `guard.lock` shows that it was a store. Blocks while
    /// another process opens or closes the store.
    ///
    /// - Parameters:
    ///   - path: the directory of the store.
    ///   - discardingUnsent: whether writes and points that were not sent are removed too.
    ///   - encryption: that of the store; not needed with `discardingUnsent`.
    /// - Throws: ``StoreError/unsentWrites(_:)``, ``StoreError/unsentPoints(_:)``; ``StoreError/notAStore``,
    ///   ``StoreError/encryption(_:)``,
    ///   ``StoreError/unsupportedFormat(_:)``, ``StoreError/readOnlyFormat``; `EngineError.notFound`;
    ///   `EngineError.heldByOthers`; without `discardingUnsent` the errors of
    ///   ``open(at:options:host:)``. The store is then unchanged.
    public static func destroy(
        at path: String, discardingUnsent: Bool = false, encryption: StoreEncryption? = nil
    ) throws {
        if discardingUnsent {
            let record = (table: TableName.meta.rawValue, key: FormatRecord.key)
            return try Environment.discard(path: path, record: record, validate: checkDiscardable)
        }
        let cipher = encryption.map { StoreCipher($0) }
        try Environment.destroy(path: path, tables: Tables.names, cipher: cipher) { source, handles in
            try loadKeys(in: source, handles, cipher)
            if try readFormat(in: source, handles) == .readOnly { throw StoreError.readOnlyFormat }
            if let missing = Tables.names.first(where: { handles[$0] == nil }) {
                throw EngineError.missingTable(name: missing)
            }
            try Tables(handles).checkAllSent(in: source)
            return true
        }
    }

    /// Throws unless the value of the format record shows a store that this version may remove.
    ///
    /// A damaged record shows nothing by itself: a file of another program may have a record of that name.
    private static func checkDiscardable(_ format: [UInt8]?, isMarked: Bool) throws {
        guard let format else { throw StoreError.notAStore }
        do {
            if try formatAccess(of: format.rawSpan) == .readOnly { throw StoreError.readOnlyFormat }
        } catch StoreError.unsupportedFormat(.olderFormat) {
            return
        } catch StoreError.damaged {
            guard isMarked else { throw StoreError.notAStore }
        }
    }

    private func clearCollections() async throws {
        do {
            for collection in try read({ view in try view.collections() }) {
                try Task.checkCancellation()
                _ = try await writeBulk { transaction in try transaction.removeCollection(collection.name) }
            }
        } catch StoreError.damaged {
            // Damaged collections are removed with the rest.
        }
    }

    /// Runs `step` in commits of its own until it returns that there is nothing more.
    private func inBatches(_ step: @escaping @Sendable (inout Transaction) throws -> Bool) async throws {
        var isMore = true
        while isMore {
            try Task.checkCancellation()
            isMore = try await writeBulk(step)
        }
    }
}

extension Transaction {
    /// Removes the writes that were enqueued since the last commit of clearing, so that none is removed only in part.
    ///
    /// - Throws: ``StoreError/unsentWrites(_:)``, ``StoreError/unsentPoints(_:)`` where they are not to be discarded.
    fileprivate mutating func clearUnsent(discards: Bool) throws {
        if !discards { return try tables.checkAllSent(in: engine) }
        while try clearSomeUnsent() {}
    }
}

extension Tables {
    /// Throws when the outbox has an entry, or a buffer a point.
    fileprivate func checkAllSent(in source: ReadTransaction) throws {
        // A table whose root is damaged seems to be empty.
        let pending = try Int(clamping: counters(in: source).pendingEntries)
        let writes = try max(unsentWrites(in: source), pending)
        if writes > 0 { throw StoreError.unsentWrites(writes) }
        let points = try unsentPoints(in: source)
        if points > 0 { throw StoreError.unsentPoints(points) }
    }

    /// Returns the number of points, whatever their rings record.
    private func unsentPoints(in source: ReadTransaction) throws -> Int {
        var count = 0
        try source.withCursor(in: self[.buffers]) { cursor in
            while let entry = try cursor.next() {
                if case .point = try? BufferKey(decoding: entry.key) { count += 1 }
            }
        }
        return count
    }

    /// Returns the number of entries in the outbox, dead letters included.
    private func unsentWrites(in source: ReadTransaction) throws -> Int {
        var count = 0
        try forEachRaw(.outbox, prefix: OutboxKey.heads, in: source) { _ in
            count += 1
            return true
        }
        return count
    }
}
